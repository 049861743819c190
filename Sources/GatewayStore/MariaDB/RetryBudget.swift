import GatewayBase

/// Decides whether a piece of work that failed on one connection is run once more.
struct RetryBudget {
  enum Verdict: Equatable {
    /// After a pause of so many microseconds.
    case retry(pause: UInt32)
    case giveUp
  }

  private static let tries = 8
  /// Nanoseconds: another try must not make the caller wait for much longer than one time limit.
  private static let time = UInt64(Limits.storeWait) * 500_000_000

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
    guard failures < Self.tries, now &- start < Self.time, !commitInDoubt else { return .giveUp }
    switch fault {
    case nil: return .giveUp
    case .conflict:
      // Random, so that those who met once do not meet again.
      return .retry(pause: UInt32.random(in: 0...(1000 << UInt32(min(failures, 6)))))
    case .lost: return wasIdle ? .retry(pause: 0) : .giveUp
    }
  }
}
