import GatewayBase

/// Decides whether a piece of work that failed on one connection is run once more.
struct RetryBudget {
  enum Verdict: Equatable {
    /// After a pause of so many microseconds.
    case retry(pause: UInt32)
    case giveUp
  }

  private static let tries = 20
  /// Nanoseconds in which a conflict is run again: the store is alive, and a caller waits twice its time limit at most.
  private static let conflictTime = UInt64(Limits.storeWait) * 2_000_000_000
  /// Nanoseconds in which a lost connection is replaced: a store that is gone shall not cost two time limits.
  private static let lossTime = UInt64(Limits.storeWait) * 500_000_000

  private let start: UInt64
  private var failures = 0

  /// - Parameter start: nanoseconds of the monotonic clock, here and below.
  init(start: UInt64) { self.start = start }

  /// - Parameters:
  ///   - fault: what happened to the connection, nil where the body itself failed.
  ///   - wasIdle: whether the connection had lain idle, where its loss says nothing about the store.
  mutating func failed(
    _ fault: MariaDBConnection.Fault?, commitInDoubt: Bool, wasIdle: Bool, now: UInt64
  ) -> Verdict {
    failures += 1
    let elapsed = now &- start
    guard failures < Self.tries, !commitInDoubt else { return .giveUp }
    switch fault {
    case nil: return .giveUp
    case .conflict:
      guard elapsed < Self.conflictTime else { return .giveUp }
      // Random, so that those who met once do not meet again.
      return .retry(pause: UInt32.random(in: 0...(1000 << UInt32(min(failures, 5)))))
    case .lost: return wasIdle && elapsed < Self.lossTime ? .retry(pause: 0) : .giveUp
    }
  }
}
