import GatewayBase
import GatewayHTTP

/// What the `Authorization` fields of a request hold (RFC 9110 section 11.6.2, RFC 6750 section 2.1).
enum BearerCredential: Equatable {
  case absent
  /// Where the candidate for a token is in the head: not judged yet, see `fault`.
  case token(Range<Int>)
  /// Another scheme, or nothing after it.
  case malformed
  /// Two fields: whoever forwards it may pick another one than we.
  case ambiguous

  static func read(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> BearerCredential {
    guard let index = fields.first(.authorization) else { return .absent }
    guard !fields.isRepeated(.authorization) else { return .ambiguous }
    return read(head, fields[index].valueRange)
  }

  /// The same, of the one field's value.
  static func read(_ head: Span<UInt8>, _ range: Range<Int>) -> BearerCredential {
    let start = range.lowerBound + schemeCount
    guard start < range.upperBound, hasScheme(head, at: range.lowerBound) else {
      return holdsList(head, range) ? .ambiguous : .malformed
    }
    return .token(start..<range.upperBound)
  }

  /// The credential of a WebSocket handshake, whose token may be a subprotocol instead: two are one too many.
  func joined(by offer: WebSocketOffer?) -> BearerCredential {
    guard let offer, let token = offer.token else { return self }
    return offer.isAmbiguous || self != .absent ? .ambiguous : .token(token)
  }

  /// What speaks against a candidate that is not remembered; a remembered one has passed this before.
  static func fault(_ head: Span<UInt8>, _ token: Range<Int>) -> BearerCredential? {
    if holdsList(head, token) { return .ambiguous }
    guard token.count <= Limits.bearer else { return .malformed }
    for position in token where !isTokenByte(head[position]) { return .malformed }
    return nil
  }

  private static let schemeCount = 7

  /// `Bearer` in any case, and one space.
  private static func hasScheme(_ head: Span<UInt8>, at start: Int) -> Bool {
    func folded(_ offset: Int) -> UInt8 { head[start + offset] | 0x20 }
    return folded(0) == 0x62 && folded(1) == 0x65 && folded(2) == 0x61 && folded(3) == 0x72 && folded(4) == 0x65
      && folded(5) == 0x72 && head[start + 6] == UInt8(ascii: " ")
  }

  /// Whether a comma makes it a list of credentials.
  private static func holdsList(_ head: Span<UInt8>, _ range: Range<Int>) -> Bool {
    for position in range where head[position] == UInt8(ascii: ",") { return true }
    return false
  }

  /// The bytes of a JWT in compact form: a closer fit than token68, so that nothing else is ever looked up.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }
}
