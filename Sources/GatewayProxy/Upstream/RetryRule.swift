import GatewayHTTP

/// Whether a request whose connection died may be sent again (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
///
/// Only where a reused connection died before a byte of the answer, which is what a backend's idle limit looks
/// like; and only what may be sent twice, or of which nothing was sent.
struct RetryRule {
  var retriesLeft: Int
  /// Whether all that was sent is still at hand.
  var isReplayable = true
  var sentBytes: UInt64 = 0
  var sawAnswer = false
  /// Whether the backend said that it did nothing with it (RFC 9113 section 8.7).
  var wasRefused = false

  mutating func mayRetry(method: HTTPMethod, onReused: Bool) -> Bool {
    guard onReused || wasRefused, !sawAnswer, retriesLeft > 0 else { return false }
    guard sentBytes == 0 || isReplayable && (method.isIdempotent || wasRefused) else { return false }
    retriesLeft -= 1
    sentBytes = 0
    wasRefused = false
    return true
  }
}
