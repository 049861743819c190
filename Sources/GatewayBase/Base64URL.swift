/// Base64 with the URL alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(value) }
    return table
  }()

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var accumulator: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      accumulator = accumulator << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(accumulator >> bits & 0x3F)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(accumulator << (6 - bits) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`, or nil where it holds padding, a foreign character, an impossible length
  /// or bits that no encoder writes: one value has one text, so that a token can't be written in two ways.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    // An array, as the loop over any collection is many times slower.
    let letters = Array(text)
    guard letters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count * 3 / 4)
    var accumulator: UInt32 = 0
    var bits: UInt32 = 0
    for letter in letters {
      let value = values[Int(letter)]
      guard value != 0xFF else { return nil }
      accumulator = accumulator << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: accumulator >> bits))
      }
    }
    guard accumulator & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }
}
