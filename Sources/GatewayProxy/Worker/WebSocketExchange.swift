import GatewayHTTP

/// What an exchange that asked for a WebSocket keeps besides.
struct WebSocketExchange {
  /// Whether the gateway answers the subprotocol `speed` where the backend chooses none.
  let answersSpeed: Bool
  /// Whether the backend agreed, so that bytes pass both ways.
  var isOpen = false
  /// Where the backend's frames begin and end.
  var frames = WebSocketFrames()
  /// Set once the gateway ends it: what it tells the client behind the frame that is on its way.
  var ending: Ending?
  /// Until when that frame must be whole, in milliseconds of the loop's clock.
  var endsAt: UInt64 = 0

  init(answersSpeed: Bool) { self.answersSpeed = answersSpeed }

  /// Why the gateway ends a WebSocket, as its close frame says (RFC 6455 section 7.4.1).
  enum Ending {
    /// The token has ended: 1008, a policy's violation.
    case tokenEnded
    /// The gateway drains, or nothing was said for too long: 1001.
    case goingAway
    /// The app was taken out: 1001 too.
    case appRemoved

    var frame: [UInt8] {
      switch self {
      case .tokenEnded: WebSocketFrames.close(1008, "token ended")
      case .goingAway: WebSocketFrames.close(1001, "going away")
      case .appRemoved: WebSocketFrames.close(1001, "app removed")
      }
    }
  }
}

extension Exchange {
  /// Whether it has become a WebSocket: bytes pass both ways, and neither side owes any.
  var isTunnel: Bool { webSocket?.isOpen ?? false }
}
