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

  /// The bytes of a text of hexadecimal digits; nil where it holds anything else, or half a byte.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text {
      guard let value = value(of: digit) else { return nil }
      if let half = high {
        bytes.append(half << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

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
