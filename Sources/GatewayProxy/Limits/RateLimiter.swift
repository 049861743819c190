import GatewayBase

/// The rates of all callers of the process, shared by its loops: one lock for each of many parts, held for a look at
/// eight numbers. It outlives reloads, and a rule that a reload leaves as it is goes on counting.
package final class RateLimiter: Sendable {
  private static let partBits: UInt64 = 6

  private let parts: [Locked<RateTable>]

  /// - Parameter capacity: callers remembered at once; a power of two, at least 512.
  package init(capacity: Int = Limits.rateCallers) {
    let count = 1 << Self.partBits
    parts = (0..<count).map { _ in Locked(RateTable(capacity: capacity / count)) }
  }

  /// Counts a request of a caller.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  package func count(_ caller: RateCaller, by rule: RateRule, now: UInt64) -> RateStanding {
    parts[Int(caller.key >> (64 - Self.partBits))].withLock { $0.count(caller.key, rule, now: now) }
  }
}

/// Whose requests count together, under which rule: a hash of both.
///
/// Swift's hasher is seeded for each process, so that nobody can make up callers who share a place in the table.
package struct RateCaller: Sendable {
  let key: UInt64

  /// - Parameters:
  ///   - limit: tells the rule and where it stands, such as an app's route.
  ///   - subject: who is counted.
  package init(_ limit: some Hashable, _ subject: some Hashable) {
    var hasher = Hasher()
    hasher.combine(limit)
    hasher.combine(subject)
    key = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
