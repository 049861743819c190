/// Decides whether a connection may be tried, so that a store which is gone costs a wait only now and then.
///
/// Closed → open (a failure) → probing (the pause is over: one caller tries) → closed, or open for twice as long.
struct CircuitBreaker {
  enum Admission: Equatable {
    case admitted
    /// Fail at once, for this reason.
    case refused(String)
  }

  private enum State: Equatable {
    case closed
    case open(until: UInt64, reason: String)
    case probing(reason: String)
  }

  private static let firstPause: UInt64 = 250_000_000
  private static let longestPause: UInt64 = 2_000_000_000

  private var state = State.closed
  private var pause = Self.firstPause

  /// - Parameter now: nanoseconds of the monotonic clock, here and below.
  mutating func connectionWanted(now: UInt64) -> Admission {
    switch state {
    case .closed: return .admitted
    case .probing(let reason): return .refused(reason)
    case .open(let until, let reason):
      guard now >= until else { return .refused(reason) }
      state = .probing(reason: reason)
      return .admitted
    }
  }

  mutating func connected() {
    state = .closed
    pause = Self.firstPause
  }

  mutating func failed(_ reason: String, now: UInt64) {
    // Of several callers that were on their way before the first failure only that one counts.
    if case .open(let until, _) = state, now < until { return }
    state = .open(until: now + pause, reason: reason)
    pause = min(pause * 2, Self.longestPause)
  }
}
