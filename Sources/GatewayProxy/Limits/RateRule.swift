/// So many requests in so long a time, as the generic cell rate algorithm counts them: each request costs an interval,
/// and the intervals that are owed may reach one window into the future.
package struct RateRule: Sendable, Hashable {
  /// Requests that pass at once after a pause.
  package let requests: UInt64
  /// Seconds of the window, rounded up: what clients are told.
  let seconds: UInt64
  /// Nanoseconds that a request costs.
  let interval: UInt64

  /// - Parameters:
  ///   - requests: at least 1.
  ///   - milliseconds: of the window; at least 1, a year at most.
  package init(requests: Int64, milliseconds: Int64) {
    self.requests = UInt64(max(1, requests))
    let window = UInt64(min(max(1, milliseconds), 366 * 86_400_000))
    seconds = (window + 999) / 1000
    interval = max(1, window * 1_000_000 / self.requests)
  }

  /// Nanoseconds of the window. Below a century, so that sums with a clock do not overflow.
  var window: UInt64 { min(requests &* interval, 1 << 61) }
}

/// How a caller stands against a rule after a request.
package struct RateStanding: Sendable, Equatable {
  package let passes: Bool
  /// Requests that would pass now.
  package let remaining: UInt64
  /// Seconds, rounded up: until one request passes where this one does not, else until all of them are there again.
  package let reset: UInt64
}
