/// Classes of ASCII bytes; a byte from 0x80 on is in none of them.
extension UInt8 {
  package var isDigit: Bool { (0x30...0x39).contains(self) }
  package var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }
  package var isUppercaseLetter: Bool { (0x41...0x5A).contains(self) }
  package var isLetter: Bool { isLowercaseLetter || isUppercaseLetter }
  package var isAlphanumeric: Bool { isLetter || isDigit }
}
