import GatewayTesting

/// The PEM text of an RSA key of a key set: what a forger who takes a public key for a shared secret would use.
enum RSAPublicKeyPEM {
  static func text(modulus: [UInt8], exponent: [UInt8]) -> String {
    let key = sequence(integer(modulus) + integer(exponent))
    let algorithm: [UInt8] = [
      0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    let lines = base64(sequence(algorithm + element(0x03, [0] + key)))
    return "-----BEGIN PUBLIC KEY-----\n\(lines)-----END PUBLIC KEY-----\n"
  }

  private static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

  /// A positive integer: a leading zero keeps the first bit from being a sign.
  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    element(0x02, (bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      count < 128
      ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      let letters = (0..<4).map { $0 <= group.count ? alphabet[value >> (18 - 6 * $0) & 63] : "=" }
      text += String(letters)
      if start % 48 == 45 { text += "\n" }
    }
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
