/// One step of the schema. Versions rise by one from 1; a released one is never changed.
///
/// MariaDB commits each DDL statement by itself, so a step that was cut short runs again from its start: each statement
/// must be repeatable (`CREATE TABLE IF NOT EXISTS`, `CREATE INDEX IF NOT EXISTS`).
package struct Migration: Sendable {
  package let version: Int
  /// The step's SQL for an engine.
  package let statements: @Sendable (Dialect) -> [String]

  package init(version: Int, statements: @escaping @Sendable (Dialect) -> [String]) {
    self.version = version
    self.statements = statements
  }
}

/// Applies what is missing. The caller holds whatever keeps other nodes out.
struct Migrator {
  /// The table of the versions that were applied.
  static let table = "schema_version"

  private let migrations: [Migration]

  init(_ migrations: [Migration]) {
    precondition(migrations.map(\.version) == Array(1...migrations.count + 1).dropLast(), "versions rise by one from 1")
    self.migrations = migrations
  }

  /// - Parameter applied: gets each version once it is applied, also where a later one fails.
  func apply(on connection: any Connection, noting applied: inout [Int]) throws(StoreError) {
    let found = try foundVersion(on: connection)
    guard found <= migrations.count else { throw .schemaTooNew(found: found, known: migrations.count) }
    for migration in migrations.dropFirst(found) {
      for statement in migration.statements(connection.dialect) { try connection.run(statement, []) }
      do throws(StoreError) {
        try connection.run("INSERT INTO \(Self.table) (version) VALUES (?)", [.integer(Int64(migration.version))])
        applied.append(migration.version)
      } catch .uniqueViolation {
        // Another node of a cluster whose locks end at the node was faster with the same, repeatable step.
      }
    }
  }

  private func foundVersion(on connection: any Connection) throws(StoreError) -> Int {
    do throws(StoreError) {
      return try Self.version(on: connection)
    } catch .sql {
      // There is no such table yet. A CREATE in every case would take locks on each start.
      let version = "version \(connection.dialect.integer) NOT NULL PRIMARY KEY"
      try connection.run("CREATE TABLE IF NOT EXISTS \(Self.table) (\(version))", [])
      return 0
    }
  }

  /// The last version in the table, 0 where it holds none.
  ///
  /// - Throws: `StoreError.sql` where there is no such table.
  static func version(on connection: any Connection) throws(StoreError) -> Int {
    let row = try connection.first("SELECT COALESCE(MAX(version), 0) FROM \(table)", [])
    return Int(try row?.integer(0) ?? 0)
  }
}
