/// An absolute URL taken apart as written (RFC 3986 section 3), by bytes: a mark that combines with a separator hides
/// nothing.
package struct URLParts {
  /// In lower case.
  package let scheme: String
  /// Before `@`; nil where there is none.
  package let userinfo: Substring?
  /// An IPv6 address with its brackets.
  package let host: Substring
  /// What follows the host's colon; nil where there is none.
  package let port: Substring?
  /// With the query; visible ASCII.
  package let path: Substring

  /// - Throws: where the text is no absolute URL that every reader takes apart alike.
  package init(_ text: String) throws(ServiceURL.Problem) {
    guard text.utf8.count <= Limits.url, !text.unicodeScalars.contains(where: Self.isForbidden) else {
      throw .character
    }
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      throw .relative
    }
    scheme = text[..<colon].lowercased()
    let rest = bytes[bytes.index(colon, offsetBy: 3)...]
    guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = rest[authority.endIndex...]
    guard path.allSatisfy({ $0 < 0x80 }) else { throw .path }
    self.path = Substring(path)
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    userinfo = at.map { Substring(authority[..<$0]) }
    (host, port) = try Self.split(at.map { authority[authority.index(after: $0)...] } ?? authority)
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\\", "\"", "<", ">", "^", "`", "{", "|", "}": true
    default: scalar.value <= 0x20 || scalar.value == 0x7F
    }
  }

  private static func split(
    _ authority: Substring.UTF8View
  ) throws(ServiceURL.Problem) -> (host: Substring, port: Substring?) {
    var end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    if authority.first == UInt8(ascii: "[") {
      guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
      end = authority.index(after: bracket)
    }
    let tail = authority[end...]
    guard tail.isEmpty || tail.first == UInt8(ascii: ":") else { throw .host }
    return (Substring(authority[..<end]), tail.isEmpty ? nil : Substring(tail.dropFirst()))
  }
}
