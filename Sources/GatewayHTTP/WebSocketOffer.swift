import GatewayBase

/// The subprotocols that a WebSocket handshake offers (RFC 6455 section 11.3.4), and the bearer token among them.
///
/// A browser can't set `Authorization` on a WebSocket, so it offers `speed.bearer.<token>` beside the protocol that it
/// wants to speak. That offer never reaches a backend.
package struct WebSocketOffer: Equatable, Sendable {
  /// Where the token is in the head.
  package private(set) var token: Range<Int>?
  /// Whether more than one token is offered: whoever looks at another one would see another user.
  package private(set) var isAmbiguous = false
  /// Whether `speed` is offered: what the gateway answers where the backend chooses none.
  package private(set) var includesSpeed = false
  /// Protocols that are offered, tokens among them.
  package private(set) var count = 0
  /// Whether a protocol is left for the backend to choose.
  package private(set) var hasOthers = false

  package static func read(_ head: Span<UInt8>, _ fields: borrowing FieldTable) -> WebSocketOffer {
    var offer = WebSocketOffer()
    forEachMember(head, fields) { member in
      offer.count += 1
      if let token = Self.token(in: member, head) {
        offer.isAmbiguous = offer.isAmbiguous || offer.token != nil
        offer.token = token
      } else {
        offer.hasOthers = true
        if head.holds(speed, at: member.lowerBound), member.count == speed.count { offer.includesSpeed = true }
      }
    }
    return offer
  }

  /// Calls `body` with the range of each protocol that goes on to the backend.
  package static func forEachPassing(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, _ body: (Range<Int>) -> Void
  ) {
    forEachMember(head, fields) { member in
      if token(in: member, head) == nil { body(member) }
    }
  }

  private static let speed = Array("speed".utf8)
  private static let bearer = Array("speed.bearer.".utf8)

  private static func token(in member: Range<Int>, _ head: Span<UInt8>) -> Range<Int>? {
    guard member.count >= bearer.count, head.holds(bearer, at: member.lowerBound) else { return nil }
    return (member.lowerBound + bearer.count)..<member.upperBound
  }

  private static func forEachMember(
    _ head: Span<UInt8>, _ fields: borrowing FieldTable, _ body: (Range<Int>) -> Void
  ) {
    guard let first = fields.first(.secWebSocketProtocol) else { return }
    for index in first..<fields.count where fields[index].name == .secWebSocketProtocol {
      var members = ListMembers(fields[index].valueRange)
      while let member = members.next(in: head) { body(member) }
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether `text` is at `start`.
  fileprivate func holds(_ text: [UInt8], at start: Int) -> Bool {
    guard start + text.count <= count else { return false }
    for index in text.indices where self[start + index] != text[index] { return false }
    return true
  }
}
