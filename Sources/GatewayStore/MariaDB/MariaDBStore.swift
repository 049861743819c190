import GatewayBase
import GatewayIO
import Glibc

/// The store that several nodes share: a MariaDB server or a Galera cluster behind one address.
package final class MariaDBStore: Store {
  private struct State {
    var idle: [MariaDBConnection] = []
    var breaker = CircuitBreaker()
    var migration = MigrationState.due
  }

  private enum MigrationState { case due, running, done }

  private let address: MariaDBAddress
  private let password: Secret?
  private let migrations: [Migration]
  private let logger: Logger
  private let threads = BlockingPool(name: "mariadb", threads: Limits.mariaDBConnections)
  private let state = Locked(State())

  package init(address: MariaDBAddress, password: Secret?, migrations: [Migration], logger: Logger) {
    self.address = address
    self.password = password
    self.migrations = migrations
    self.logger = logger
  }

  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    try await migrateIfDue()
    return try await queued { [self] in try await threads.run { [self] in try perform { try body($0) } } }
  }

  @discardableResult
  package func write<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    try await migrateIfDue()
    return try await queued { [self] in
      try await threads.run { [self] in try perform { try $0.transaction(body) } }
    }
  }

  @discardableResult
  package func migrate() async throws -> [Int] {
    let isFirst = state.withLock { state in
      defer { if state.migration == .due { state.migration = .running } }
      return state.migration != .running
    }
    guard isFirst else { throw StoreError.unavailable("the schema is being brought up to date") }
    do {
      let applied = try await queued { [self] in try await threads.run { [self] in try applyMigrations() } }
      state.withLock { $0.migration = .done }
      return applied
    } catch {
      state.withLock { $0.migration = .due }
      throw error
    }
  }

  package func inspect() async throws -> SchemaState? {
    try await queued { [self] in
      try await threads.run { [self] in
        try SchemaState.read(on: connected(timeLimit: Limits.storeWait), known: migrations.count)
      }
    }
  }

  /// Sees to it that the schema is up to date; waits a while for a call that is at it.
  private func migrateIfDue() async throws {
    let end = MonotonicClock.nanoseconds + UInt64(Limits.storeWait) * 1_000_000_000
    while true {
      switch state.withLock({ $0.migration }) {
      case .done: return
      case .due:
        try await migrate()
        return
      case .running:
        guard MonotonicClock.nanoseconds < end else {
          throw StoreError.unavailable("the schema is being brought up to date")
        }
        try await Task.sleep(nanoseconds: 20_000_000)
      }
    }
  }

  /// On a connection of its own with more time, under a lock that keeps other nodes out.
  private func applyMigrations() throws -> [Int] {
    let connection = try connected(timeLimit: Limits.migrationWait)
    let lock = SQLValue.text("speed-gateway schema \(address.database)".prefix64)
    let row = try connection.first("SELECT GET_LOCK(?, ?)", [lock, .integer(Int64(Limits.migrationWait / 2))])
    guard try row?.optionalInteger(0) == 1 else { throw StoreError.unavailable("another node migrates the schema") }
    // The lock ends with the connection in any case.
    defer { _ = try? connection.query("SELECT RELEASE_LOCK(?)", [lock]) }
    return try migrated(connection)
  }

  /// Steps are repeatable, and so a conflict (with the server's own bookkeeping, too) starts them once more.
  private func migrated(_ connection: MariaDBConnection) throws(StoreError) -> [Int] {
    var retries = RetryBudget(start: MonotonicClock.nanoseconds)
    var applied: [Int] = []
    while true {
      do throws(StoreError) {
        try Migrator(migrations).apply(on: connection, noting: &applied)
        return applied
      } catch {
        let now = MonotonicClock.nanoseconds
        let verdict = retries.failed(connection.fault, commitInDoubt: false, wasIdle: false, now: now)
        guard case .retry(let pause) = verdict else { throw error }
        connection.clearConflict()
        usleep(pause)
      }
    }
  }

  /// Runs `work` on a connection, again as long as that is safe and promising.
  private func perform<Result>(_ work: (MariaDBConnection) throws -> Result) throws -> Result {
    var retries = RetryBudget(start: MonotonicClock.nanoseconds)
    while true {
      let (connection, wasIdle) = try connection()
      do {
        let result = try work(connection)
        giveBack(connection)
        return result
      } catch {
        let verdict = retries.failed(
          connection.fault, commitInDoubt: connection.isCommitInDoubt, wasIdle: wasIdle,
          now: MonotonicClock.nanoseconds)
        giveBack(connection)
        switch verdict {
        case .giveUp: throw error
        case .retry(let pause): if pause > 0 { usleep(pause) }
        }
      }
    }
  }

  private func connection() throws(StoreError) -> (MariaDBConnection, wasIdle: Bool) {
    if let idle = state.withLock({ $0.idle.popLast() }) { return (idle, true) }
    return (try connected(timeLimit: Limits.storeWait), false)
  }

  private func connected(timeLimit: Int) throws(StoreError) -> MariaDBConnection {
    let admission = state.withLock { $0.breaker.connectionWanted(now: MonotonicClock.nanoseconds) }
    if case .refused(let reason) = admission { throw .unavailable(reason) }
    do throws(StoreError) {
      let connection = try MariaDBConnection(address, password: password, timeLimit: timeLimit)
      state.withLock { $0.breaker.connected() }
      return connection
    } catch {
      storeFailed("\(error)")
      throw error
    }
  }

  private func giveBack(_ connection: MariaDBConnection) {
    connection.clearConflict()
    guard case .lost(let reason) = connection.fault else {
      return state.withLock { $0.idle.append(connection) }
    }
    // What ended one connection has as a rule ended those that lie idle too.
    let dropped = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    logger.warning(
      "a connection to the store was lost", .text("reason", reason), .integer("dropped", dropped.count))
  }

  private func storeFailed(_ reason: String) {
    state.withLock { $0.breaker.failed(reason, now: MonotonicClock.nanoseconds) }
    logger.warning("the store can't be reached", .text("reason", reason))
  }
}

extension String {
  /// The name of a lock has 64 characters at most.
  fileprivate var prefix64: String { String(prefix(64)) }
}
