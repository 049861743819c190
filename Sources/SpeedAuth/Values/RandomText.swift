import Foundation

/// Text that nobody can guess.
enum RandomText {
  /// 43 characters of base64url: 256 bits of the system's secure generator. Long enough for a nonce (32 and more) and a
  /// code verifier (43 and more, RFC 7636 section 4.1).
  static func fresh() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}

/// Base64 for URLs, without padding (RFC 4648 section 5).
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
