import GatewayBase
import GatewayHTTP

/// What the `Authorization` fields of a request hold (RFC 9110 section 11.6.2, RFC 6750 section 2.1).
enum BearerCredential: Equatable {
  case absent
  /// Where the token is in the head.
  case token(Range<Int>)
  /// Another scheme, more than one space, or bytes that no token has.
  case malformed
  /// Two fields, or a list: whoever forwards it may pick another one than we.
  case ambiguous

  static func read(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> BearerCredential {
    guard let index = fields.first(.authorization) else { return .absent }
    guard !fields.isRepeated(.authorization) else { return .ambiguous }
    let range = fields[index].valueRange
    for position in range where head[position] == UInt8(ascii: ",") { return .ambiguous }
    let start = range.lowerBound + scheme.count
    guard start < range.upperBound, hasScheme(head, at: range.lowerBound) else { return .malformed }
    guard range.upperBound - start <= Limits.bearer else { return .malformed }
    for position in start..<range.upperBound where !isTokenByte(head[position]) { return .malformed }
    return .token(start..<range.upperBound)
  }

  private static let scheme = Array("bearer ".utf8)

  private static func hasScheme(_ head: Span<UInt8>, at start: Int) -> Bool {
    for index in 0..<scheme.count {
      let byte = head[start + index]
      let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      if folded != scheme[index] { return false }
    }
    return true
  }

  /// The bytes of a JWT in compact form: a closer fit than token68, so that nothing else is ever looked up.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }
}
