import GatewayBase
import GatewayStore

/// Removes burnt credentials and revocations that have expired, in small transactions that sign-ins do not notice.
package struct ExpiryPruner: Sendable {
  /// Rows of a transaction.
  static let batch = 500
  private static let interval = Duration.seconds(60)
  private static let betweenBatches = Duration.milliseconds(100)
  /// Seconds that a row stays after it expired, for nodes whose clocks differ.
  private static let grace: Int64 = 300
  private static let tables = ["burnt_credentials", "revocations", "refresh_tokens", "web_flows"]

  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger

  package init(store: any Store, clock: any WallClock, logger: Logger) {
    self.store = store
    self.clock = clock
    self.logger = logger
  }

  /// Removes what has expired, batch by batch.
  ///
  /// - Returns: how many rows went.
  @discardableResult
  package func prune() async throws -> Int {
    var removed = 0
    for table in Self.tables {
      while true {
        let count = try await removeBatch(from: table)
        removed += count
        if count < Self.batch { break }
        try await Task.sleep(for: Self.betweenBatches)
      }
    }
    return removed
  }

  /// Prunes every minute until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      do {
        try await prune()
      } catch is CancellationError {
        return
      } catch {
        logger.warning("expired credentials can't be removed", .text("reason", "\(error)"))
      }
      try? await Task.sleep(for: Self.interval)
    }
  }

  /// SQLite has no DELETE with LIMIT, so the time of the batch's last row bounds it.
  private func removeBatch(from table: String) async throws -> Int {
    let limit = SQLValue.integer(clock.now.adding(seconds: -Self.grace).milliseconds)
    return try await store.write { connection in
      let last = try connection.first(
        "SELECT expires_at FROM \(table) WHERE expires_at < ? ORDER BY expires_at LIMIT 1 OFFSET \(Self.batch - 1)",
        [limit])
      guard let last else { return try connection.run("DELETE FROM \(table) WHERE expires_at < ?", [limit]) }
      return try connection.run("DELETE FROM \(table) WHERE expires_at <= ?", [.integer(try last.integer(0))])
    }
  }
}
