import GatewayBase
import GatewayIO
import Synchronization

/// The embedded store: one file in WAL mode, one writer with group commit, a few readers.
package final class SQLiteStore: Store {
  private let path: String
  private let migrations: [Migration]
  private let writer: SQLiteWriter
  private let readers = BlockingPool(name: "sqlite-reader", threads: Limits.sqliteReaders)
  private let idle = Locked<[SQLiteConnection]>([])
  private let isMigrated = Atomic(false)

  /// - Parameter path: of the file, which is created with its folder on first use.
  package init(path: String, migrations: [Migration], logger: Logger) {
    self.path = path
    self.migrations = migrations
    writer = SQLiteWriter(path: path, logger: logger)
  }

  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    if !isMigrated.load(ordering: .acquiring) { try await migrate() }
    return try await queued { [self] in
      try await readers.run { [self] in
        let connection = try idle.withLock { $0.popLast() } ?? SQLiteConnection(path: path, role: .reader)
        defer { idle.withLock { $0.append(connection) } }
        return try body(connection)
      }
    }
  }

  @discardableResult
  package func write<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    if !isMigrated.load(ordering: .acquiring) { try await migrate() }
    return try await withCheckedThrowingContinuation { continuation in
      writer.put(
        WriteJob(
          run: { connection in
            let result = try body(connection)
            return { continuation.resume(returning: result) }
          },
          fail: { continuation.resume(throwing: $0) }))
    }
  }

  @discardableResult
  package func migrate() async throws -> [Int] {
    let migrator = Migrator(migrations)
    let applied = try await queued { [self] in
      try await writer.run { connection in
        try connection.begin()
        do throws(StoreError) {
          let applied = try migrator.apply(on: connection)
          try connection.commit()
          return applied
        } catch {
          connection.rollBack()
          throw error
        }
      }
    }
    isMigrated.store(true, ordering: .releasing)
    return applied
  }

  package func inspect() async throws -> SchemaState? {
    guard try SQLiteFile.exists(path) else { return nil }
    return try await queued { [self] in
      try await readers.run { [self] in
        try SchemaState.read(on: SQLiteConnection(path: path, role: .reader), known: migrations.count)
      }
    }
  }
}
