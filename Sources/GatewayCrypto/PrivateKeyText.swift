import GatewayBase

/// The text of a private key as it comes out of files, variables and secret stores, which all mangle line ends in ways of
/// their own: CRLF, `\n` written as two characters, one long line, blanks, no armour at all, or the whole file in base64.
enum PrivateKeyText {
  private static let begin = Array("-----BEGIN ".utf8)
  private static let dashes = Array("-----".utf8)
  private static let labels = ["PRIVATE KEY", "EC PRIVATE KEY"]

  /// The key in PEM form (RFC 7468); nil where the text is no private key in any of these shapes.
  static func pem(_ text: Secret) -> Secret? { pem(text.reveal(), depth: 0) }

  private static func pem(_ text: [UInt8], depth: Int) -> Secret? {
    let text = unescaped(text)
    if let start = find(begin, in: text, from: 0) {
      guard let (label, body) = parts(text, from: start + begin.count), labels.contains(label),
        let der = base64(body), !der.isEmpty
      else { return nil }
      return armoured(body.filter { !isBlank($0) }, label: label)
    }
    guard depth == 0, let bytes = base64(text), !bytes.isEmpty else { return nil }
    // The file in base64, or the key's own lines without armour.
    if find(begin, in: bytes, from: 0) != nil { return pem(bytes, depth: 1) }
    return armoured(text.filter { !isBlank($0) }, label: labels[0])
  }

  /// `\n` and `\r` in two characters become blanks.
  private static func unescaped(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "\\"), index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "n") || text[index + 1] == UInt8(ascii: "r")
      {
        result.append(0x0A)
        index += 2
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  /// The label behind `-----BEGIN `, and what stands before `-----END` with the same one.
  private static func parts(_ text: [UInt8], from start: Int) -> (label: String, body: [UInt8])? {
    guard let labelEnd = find(dashes, in: text, from: start) else { return nil }
    let label = String(decoding: text[start..<labelEnd], as: UTF8.self)
    let bodyStart = labelEnd + dashes.count
    guard let end = find(Array("-----END \(label)-----".utf8), in: text, from: bodyStart) else { return nil }
    return (label, Array(text[bodyStart..<end]))
  }

  private static func find(_ pattern: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    guard text.count >= pattern.count, start <= text.count - pattern.count else { return nil }
    return (start...(text.count - pattern.count)).first { text[$0..<($0 + pattern.count)].elementsEqual(pattern) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// The bytes of base64 (RFC 4648 section 4) with blanks anywhere, padded or not.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    var letters: [UInt8] = []
    var padding = 0
    for byte in text where !isBlank(byte) {
      switch byte {
      case UInt8(ascii: "="): padding += 1
      case UInt8(ascii: "+") where padding == 0: letters.append(UInt8(ascii: "-"))
      case UInt8(ascii: "/") where padding == 0: letters.append(UInt8(ascii: "_"))
      case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
      default:
        guard padding == 0 else { return nil }
        letters.append(byte)
      }
    }
    return padding <= 2 ? Base64URL.decode(letters) : nil
  }

  /// - Parameter body: base64 without blanks.
  private static func armoured(_ body: [UInt8], label: String) -> Secret {
    var text = Array("-----BEGIN \(label)-----\n".utf8)
    for start in stride(from: 0, to: body.count, by: 64) { text += body[start..<min(start + 64, body.count)] + [0x0A] }
    return Secret(text + Array("-----END \(label)-----\n".utf8))
  }
}
