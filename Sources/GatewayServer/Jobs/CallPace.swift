import GatewayBase
import GatewayConfig

/// When the calls that a node makes to providers by itself may begin: evenly, and no faster than configured. Queued work
/// and daily checks share one.
final class CallPace: Sendable {
  /// Decides alone; times are nanoseconds of any one clock.
  struct Schedule {
    private let interval: UInt64
    /// By how much a call may make up for time that was lost before it: a hundredth of the limit's time, so that no such
    /// time has over a hundredth more calls.
    private let slack: UInt64
    private var next: UInt64 = 0

    init(_ rate: RateLimit) {
      let span = UInt64(max(0, rate.per.count)) * 1_000_000
      interval = span / UInt64(max(1, rate.requests))
      slack = span / 100
    }

    /// Takes the next turn.
    ///
    /// - Returns: how long it is until then.
    mutating func take(now: UInt64) -> UInt64 {
      let turn = max(next, now - min(now, slack))
      next = turn + interval
      return turn > now ? turn - now : 0
    }

    /// How many turns there are in so long a time.
    func turns(milliseconds: Int64) -> UInt64 { UInt64(max(0, milliseconds)) * 1_000_000 / max(1, interval) }
  }

  private let schedule: Locked<Schedule>

  init(_ rate: RateLimit) { schedule = Locked(Schedule(rate)) }

  /// Returns when the next call may begin, or the task is cancelled.
  func turn() async {
    let wait = schedule.withLock { $0.take(now: MonotonicClock.nanoseconds) }
    if wait > 0 { try? await Task.sleep(nanoseconds: wait) }
  }

  func turns(milliseconds: Int64) -> UInt64 { schedule.withLock { $0.turns(milliseconds: milliseconds) } }
}
