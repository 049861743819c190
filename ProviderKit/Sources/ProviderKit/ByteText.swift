/// Bytes as the texts in which protocols write them, and the comparison of such texts.
public enum ByteText {
  private static let base64URLSigns = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let hexadecimalSigns = Array("0123456789abcdef".utf8)

  /// base64url without padding (RFC 4648 section 5).
  public static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.underestimatedCount * 4 + 2) / 3)
    var held: UInt32 = 0
    var bits = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(base64URLSigns[Int(held >> UInt32(bits) & 63)])
      }
      held &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(base64URLSigns[Int(held << UInt32(6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text in base64url; nil where it is none, or has padding.
  public static func bytes(base64URL text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var held: UInt32 = 0
    var bits = 0
    for sign in text.utf8 {
      guard let value = base64URLSigns.firstIndex(of: sign) else { return nil }
      held = (held << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
    }
    return bytes
  }

  /// Lower-case hexadecimal digits.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.flatMap { [hexadecimalSigns[Int($0 >> 4)], hexadecimalSigns[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of lower-case hexadecimal digits; nil where the text is none.
  public static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for at in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexadecimalSigns.firstIndex(of: digits[at]),
        let low = hexadecimalSigns.firstIndex(of: digits[at + 1])
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  /// A value of a query: all but the unreserved characters as percent triplets (RFC 3986 section 2.3).
  public static func percentEncoded(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
      default: result += Array("%\(hexadecimal([byte]).uppercased())".utf8)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether both are the same bytes: `==` on strings takes look-alikes such as the Kelvin sign and K for equal. The
  /// time does not depend on where the first difference is.
  public static func areSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Whether a text has control characters.
  public static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
