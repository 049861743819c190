import GatewayBase

/// How the end of a message's body is found (RFC 9112 section 6.3).
package enum BodyFraming: Sendable, Equatable {
  case none
  /// This many bytes; 0 where the message said so.
  case length(UInt64)
  case chunked
  /// All bytes until the backend closes. Never of a request.
  case untilClose

  /// Whether the length is not known beforehand.
  package var isOpenEnded: Bool {
    switch self {
    case .chunked, .untilClose: true
    case .none, .length: false
    }
  }

  /// Whether the body comes in chunks.
  package var isChunked: Bool { if case .chunked = self { true } else { false } }
}

/// What a message says of its framing, before it is judged as a request's or an answer's.
enum DeclaredFraming {
  case absent
  case length(UInt64)
  case chunked
  /// Well-formed, but with a transfer coding other than `chunked`.
  case unsupportedCoding
  /// In doubt: both fields, one twice, a list, or a value that is none.
  case malformed

  static func read(_ head: Span<UInt8>, _ fields: borrowing FieldTable, minorVersion: UInt8) -> DeclaredFraming {
    if fields.has(.transferEncoding) {
      // A length beside a coding is how requests are smuggled (RFC 9112 section 11.2): never repaired.
      guard let field = fields.only(.transferEncoding), !fields.has(.contentLength), minorVersion == 1 else {
        return .malformed
      }
      return coding(head, field.valueRange)
    }
    guard fields.has(.contentLength) else { return .absent }
    guard let field = fields.only(.contentLength), let length = Self.length(head, field.valueRange) else {
      return .malformed
    }
    return .length(length)
  }

  /// 1–19 digits, which always fit.
  static func length(_ head: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
    guard (1...19).contains(range.count) else { return nil }
    var value: UInt64 = 0
    for index in range {
      guard ByteClass.isDigit(head[index]) else { return nil }
      value = value &* 10 &+ UInt64(head[index] &- 0x30)
    }
    return value
  }

  private static func coding(_ head: Span<UInt8>, _ range: Range<Int>) -> DeclaredFraming {
    if PackedText(lowercasing: head, range) == chunkedText { return .chunked }
    var isUnsupported = false
    var members = ListMembers(range)
    while let member = members.next(in: head) {
      guard member.isToken(in: head) else { return .malformed }
      isUnsupported = isUnsupported || PackedText(lowercasing: head, member) != chunkedText
    }
    return isUnsupported ? .unsupportedCoding : .malformed
  }

  private static let chunkedText = PackedText("chunked")
}
