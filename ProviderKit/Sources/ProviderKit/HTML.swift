/// A piece of HTML that escapes by construction: what its literals say stands as it is, and every text that is put into
/// one is escaped.
///
///     let page: HTML = """
///       <h1>\(app.name)</h1>
///       <script nonce="\(request.scriptNonce)">begin(\(script: request.state))</script>
///       """
///
/// An escaped text is safe between tags and in a value between quotation marks, and nowhere else: not as a name, not as
/// the scheme of a link, and not inside `<script>`, where `script:` writes it.
public struct HTML: Sendable, Hashable, Codable, Redacted, ExpressibleByStringInterpolation {
  /// What a browser gets.
  public let markup: String

  /// Markup as it stands in the source.
  public init(stringLiteral markup: String) { self.markup = markup }

  /// Markup of the source with what was put into it.
  public init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

  /// Collects the parts of a literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var markup = ""

    /// An empty one, with room for what the compiler counted.
    public init(literalCapacity: Int, interpolationCount: Int) {
      markup.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    /// Markup of the source.
    public mutating func appendLiteral(_ markup: String) { self.markup += markup }

    /// A text, escaped.
    public mutating func appendInterpolation(_ text: String) { markup += HTML.escaped(text) }

    /// Another piece, as it is.
    public mutating func appendInterpolation(_ piece: HTML) { markup += piece.markup }

    /// Several pieces, one behind the other.
    public mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { markup += piece.markup } }

    /// A text as a string of JavaScript, quotation marks included.
    public mutating func appendInterpolation(script text: String) { markup += HTML.quoted(text) }
  }

  /// Byte by byte, as a mark that combines with the sign before it makes one character of both.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Anything that could end the string or the script is written as an escape.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.utf16.map { unit in
        switch unit {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(UInt8(unit)))
        default: "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
        }
      }.joined() + "\""
  }
}
