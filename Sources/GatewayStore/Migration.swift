/// One step of the schema. Versions rise by one from 1; a released one is never changed.
///
/// MariaDB commits each DDL statement by itself, so a step that was cut short runs again from its start: each statement
/// must be repeatable (`CREATE TABLE IF NOT EXISTS`, `CREATE INDEX IF NOT EXISTS`).
package struct Migration: Sendable {
  package let version: Int
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

  /// - Returns: the versions applied.
  func apply(on connection: any Connection) throws(StoreError) -> [Int] {
    let dialect = connection.dialect
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(Self.table) (version \(dialect.integer) NOT NULL PRIMARY KEY)", [])
    let found = try Self.version(on: connection)
    guard found <= migrations.count else { throw .schemaTooNew(found: found, known: migrations.count) }
    var applied: [Int] = []
    for migration in migrations.dropFirst(found) {
      for statement in migration.statements(dialect) { try connection.run(statement, []) }
      do throws(StoreError) {
        try connection.run("INSERT INTO \(Self.table) (version) VALUES (?)", [.integer(Int64(migration.version))])
        applied.append(migration.version)
      } catch .uniqueViolation {
        // Another node of a cluster whose locks end at the node was faster with the same, repeatable step.
      }
    }
    return applied
  }

  /// The version that the schema has, 0 before the first migration.
  static func version(on connection: any Connection) throws(StoreError) -> Int {
    let row = try connection.first("SELECT COALESCE(MAX(version), 0) FROM \(table)", [])
    return Int(try row?.integer(0) ?? 0)
  }
}
