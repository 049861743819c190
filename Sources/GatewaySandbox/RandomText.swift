import GatewayBase

/// Random texts in the shapes that Apple gives them.
enum RandomText {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Ten letters and digits, as the ids of Apple's keys.
  static func keyID() -> String {
    String(decoding: (0..<10).map { _ in letters[Int.random(in: letters.indices)] }, as: UTF8.self)
  }

  /// Six digits, 32 hexadecimal ones, four digits: a `sub` as Apple's are.
  static func subject() -> String { "\(digits(6)).\(hex(16)).\(digits(4))" }

  /// 64 hexadecimal digits.
  static func nonce() -> String { hex(32) }

  private static func hex(_ bytes: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return Hex.encode(generator.bytes(bytes))
  }

  private static func digits(_ count: Int) -> String {
    String(decoding: (0..<count).map { _ in UInt8.random(in: 0x30...0x39) }, as: UTF8.self)
  }
}
