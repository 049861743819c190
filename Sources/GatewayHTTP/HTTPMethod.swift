/// A request method (RFC 9110 section 9, RFC 5789). Methods are compared with their case: `get` is `other`.
package enum HTTPMethod: UInt8, Sendable, CaseIterable {
  case get, head, post, put, delete, patch, options, connect, trace
  /// A token that is none of the above; its text is in the head.
  case other

  /// Whether sending it twice means the same as once (RFC 9110 section 9.2.2).
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    case .post, .patch, .connect, .other: false
    }
  }

  /// Its text; empty for `other`.
  package var name: StaticString {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .patch: "PATCH"
    case .options: "OPTIONS"
    case .connect: "CONNECT"
    case .trace: "TRACE"
    case .other: ""
    }
  }

  /// The method that `text` names, or nil where it is empty or no token.
  package static func parse(_ text: Span<UInt8>) -> HTTPMethod? {
    guard text.count > 0 else { return nil }
    for index in text.indices where !ByteClass.isToken(text[index]) { return nil }
    return known(text, text.indices)
  }

  /// The method that a token names.
  @inline(__always)
  static func known(_ bytes: Span<UInt8>, _ range: Range<Int>) -> HTTPMethod {
    guard range.count <= 7 else { return .other }
    switch PackedText(bytes, range).word0 {
    case getWord: return .get
    case postWord: return .post
    case headWord: return .head
    case putWord: return .put
    case deleteWord: return .delete
    case patchWord: return .patch
    case optionsWord: return .options
    case connectWord: return .connect
    case traceWord: return .trace
    default: return .other
    }
  }

  private static var getWord: UInt64 { ByteWord.text("GET") }
  private static var postWord: UInt64 { ByteWord.text("POST") }
  private static var headWord: UInt64 { ByteWord.text("HEAD") }
  private static var putWord: UInt64 { ByteWord.text("PUT") }
  private static var deleteWord: UInt64 { ByteWord.text("DELETE") }
  private static var patchWord: UInt64 { ByteWord.text("PATCH") }
  private static var optionsWord: UInt64 { ByteWord.text("OPTIONS") }
  private static var connectWord: UInt64 { ByteWord.text("CONNECT") }
  private static var traceWord: UInt64 { ByteWord.text("TRACE") }
}
