/// What the header policy says of a field name, judged once while it is parsed.
///
/// Names are judged folded: case does not count and every byte other than a letter or digit counts as `-`, because
/// backends fold them so (CGI, WSGI, PHP) and take `X_Speed_User_Id` or `X.Speed.User.Id` for one of ours.
package struct FieldClass: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Speaks of one connection alone (RFC 9110 section 7.6.1).
  package static let hopByHop = FieldClass(rawValue: 1 << 0)
  /// `X-Speed` and `X-Speed-…`: never passes as received, either way; a forged one would be an identity.
  package static let speed = FieldClass(rawValue: 1 << 1)
  /// Claims another client address, user, target, host or proxy: forged, it dodges rules and limits of the backend.
  package static let forwarding = FieldClass(rawValue: 1 << 2)
  /// Claims another method, which would dodge the methods of a route.
  package static let methodOverride = FieldClass(rawValue: 1 << 3)
  /// Decides where a message ends or goes, and is written anew; also a name that only passes for a known one
  /// when it is folded (`Content_Length`).
  package static let framing = FieldClass(rawValue: 1 << 4)
  /// Replaced by the gateway's own: `Via`, `X-Request-Id`, `traceparent`, `tracestate`.
  package static let gatewayOwned = FieldClass(rawValue: 1 << 5)
  /// Named by `Connection`, hence hop by hop in this message.
  package static let nominated = FieldClass(rawValue: 1 << 6)
}
