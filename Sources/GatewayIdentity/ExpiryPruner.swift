import GatewayBase
import GatewayStore

/// Removes what has expired, and entries of the audit that are old enough, in small transactions that sign-ins do not
/// notice.
package struct ExpiryPruner: Sendable {
  /// Rows of a transaction.
  static let batch = 500
  private static let interval = Duration.seconds(60)
  private static let betweenBatches = Duration.milliseconds(100)
  /// Seconds that a row stays after it expired, for nodes whose clocks differ.
  private static let grace: Int64 = 300

  /// Rows go when the time in `column` lies `seconds` back.
  private struct Rule: Sendable {
    let table: String
    let column: String
    let seconds: Int64
  }

  private let rules: [Rule]

  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger

  /// - Parameter auditKeep: seconds for which entries of the audit stay; nil for ever.
  package init(store: any Store, auditKeep: Int64?, clock: any WallClock, logger: Logger) {
    let expiring = [
      "burnt_credentials", "revocations", "refresh_tokens", "web_flows", "provider_records", "sign_in_codes",
    ].map {
      Rule(table: $0, column: "expires_at", seconds: Self.grace)
    }
    rules = expiring + (auditKeep.map { [Rule(table: "audit", column: "at", seconds: $0)] } ?? [])
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
    for rule in rules {
      while true {
        let count = try await removeBatch(rule)
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
        logger.warning("expired rows can't be removed from the store", .text("reason", "\(error)"))
      }
      try? await Task.sleep(for: Self.interval)
    }
  }

  /// SQLite has no DELETE with LIMIT, so the time of the batch's last row bounds it.
  private func removeBatch(_ rule: Rule) async throws -> Int {
    let limit = SQLValue.integer(clock.now.adding(seconds: -rule.seconds).milliseconds)
    let (table, column) = (rule.table, rule.column)
    return try await store.write { connection in
      let last = try connection.first(
        "SELECT \(column) FROM \(table) WHERE \(column) < ? ORDER BY \(column) LIMIT 1 OFFSET \(Self.batch - 1)",
        [limit])
      guard let last else { return try connection.run("DELETE FROM \(table) WHERE \(column) < ?", [limit]) }
      return try connection.run("DELETE FROM \(table) WHERE \(column) <= ?", [.integer(try last.integer(0))])
    }
  }
}
