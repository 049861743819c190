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

  private static let getWord = PackedText("GET").word0
  private static let postWord = PackedText("POST").word0
  private static let headWord = PackedText("HEAD").word0
  private static let putWord = PackedText("PUT").word0
  private static let deleteWord = PackedText("DELETE").word0
  private static let patchWord = PackedText("PATCH").word0
  private static let optionsWord = PackedText("OPTIONS").word0
  private static let connectWord = PackedText("CONNECT").word0
  private static let traceWord = PackedText("TRACE").word0
}
