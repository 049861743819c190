import GatewayBase

/// Tells a busy peer from one that floods, by the frames that ask for work and move nothing.
///
/// Two budgets, each filled again by time: one of idle frames (settings, pings, priorities, window updates, empty
/// data; CVE-2019-9511 to 9518), which real traffic fills too, and one of streams that ended before their time, by
/// the peer's reset (CVE-2023-44487) or by one that it provoked (CVE-2025-8671).
struct HTTP2FloodMeter {
  private var idleFrames = Budget(capacity: Limits.http2IdleFrames, perSecond: Limits.http2IdleFramesPerSecond)
  private var resets = Budget(capacity: Limits.http2Resets, perSecond: Limits.http2ResetsPerSecond)

  /// An idle frame came: whether that is still within the budget. Times are milliseconds of the loop's clock.
  mutating func idleFrameCame(at now: UInt64) -> Bool { idleFrames.spend(at: now) }

  /// A stream was reset: whether that is still within the budget.
  mutating func streamWasReset(at now: UInt64) -> Bool { resets.spend(at: now) }

  /// A stream began or a frame with data passed, which may cause a few idle frames.
  mutating func workWasDone() { idleFrames.refill(by: Limits.http2IdleFramesPerWork) }
}

/// A count that is spent one at a time and fills again with time, up to its capacity.
private struct Budget {
  private let capacity: UInt64
  private let perSecond: UInt64
  /// Thousandths, so that time is counted in milliseconds.
  private var level: UInt64
  private var filledAt: UInt64 = 0

  init(capacity: Int, perSecond: Int) {
    self.capacity = UInt64(capacity) * 1000
    self.perSecond = UInt64(perSecond)
    level = self.capacity
  }

  mutating func refill(by count: Int) { level = min(capacity, level + UInt64(count) * 1000) }

  mutating func spend(at now: UInt64) -> Bool {
    if now > filledAt {
      // No more than fills it all: a long pause does not overflow.
      level = min(capacity, level + min(now - filledAt, capacity) * perSecond)
      filledAt = now
    }
    guard level >= 1000 else { return false }
    level -= 1000
    return true
  }
}
