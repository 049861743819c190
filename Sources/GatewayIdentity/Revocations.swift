import GatewayBase
import GatewayStore

/// Writes revocations, and learns those of other nodes, and with them which accounts were linked and unlinked.
package final class Revocations: Sendable {
  /// Rows that one read of a poll takes.
  private static let page = 1000
  /// Between two polls; two seconds is what the contract allows for all nodes to know.
  private static let interval = Duration.seconds(1)

  /// What this node knows.
  package let known = RevocationSet()
  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger
  private let cursor = Locked(RevocationCursor())

  package init(store: any Store, clock: any WallClock, logger: Logger) {
    self.store = store
    self.clock = clock
    self.logger = logger
  }

  /// Ends tokens: here at once, on other nodes with their next poll.
  ///
  /// - Parameter entry: the trace of it.
  /// - Throws: `Refusal.storeUnavailable` or `StoreError`; then they are still good, here too.
  package func revoke(_ revocation: Revocation, noting entry: AuditEntry? = nil) async throws {
    let now = clock.now
    do {
      try await store.write { connection in
        try revocation.insert(on: connection)
        try entry?.insert(at: now, on: connection)
      }
    } catch let error as StoreError {
      logger.warning("a revocation could not be written", .text("reason", "\(error)"))
      throw error.refusal ?? error
    }
    known.add([revocation])
  }

  /// Learns what others have written. The first poll reads all that has not expired.
  ///
  /// - Throws: `StoreError`; what is known stays.
  package func poll() async throws {
    let now = clock.now
    var position = cursor.withLock { $0.position }
    var highest: Int64?
    while true {
      let after = position
      let rows = try await store.read { connection in
        try connection.query(
          "SELECT \(Revocation.columns) FROM revocations WHERE seq > ? AND expires_at > ? ORDER BY seq LIMIT ?",
          [.integer(after), .integer(now.milliseconds), .integer(Int64(Self.page))])
      }
      known.add(try TokenChanges(rows: rows))
      if let last = try rows.last?.integer(0) {
        position = last
        highest = last
      }
      if rows.count < Self.page { break }
    }
    known.readAll()
    known.prune(now: now)
    cursor.withLock { $0.polled(highest: highest, now: MonotonicClock.nanoseconds) }
  }

  /// The first poll, before the first request: whoever is ready knows every token that has ended.
  ///
  /// A store that is not there yet knows of none, and need not be made for that. With one that can't be read the node
  /// serves all the same, as good tokens must pass without it; `run` goes on asking.
  package func begin() async {
    do {
      guard let state = try await store.inspect(), state.version > 0 else { return known.readAll() }
      try await poll()
    } catch {
      logger.warning(
        "serving without the revocations in the store: tokens that have ended may pass until it can be read",
        .text("reason", "\(error)"))
    }
  }

  /// Polls every second until the task is cancelled, less often while the store is gone.
  package func run() async {
    await StoreRounds(
      every: Self.interval, failing: "revocations of other nodes can't be read",
      recovered: "revocations of other nodes are read again", logger: logger
    ).run {
      try await poll()
      return .again
    }
  }
}
