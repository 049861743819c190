/// Lower-case hexadecimal.
package enum Hex {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The digit of a value below 16.
  package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// The value of one hexadecimal digit of either case, or nil.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
