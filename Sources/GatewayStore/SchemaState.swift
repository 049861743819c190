/// A database as it was found, before anything in it is changed.
package struct SchemaState: Sendable, Equatable {
  /// Name and version of the database engine.
  package let engine: String
  /// The version of its schema; 0 where no migration has run yet.
  package let version: Int
  /// The version that this release brings it to.
  package let known: Int

  /// - Parameter known: the last version among this release's migrations.
  static func read(on connection: any Connection, known: Int) throws(StoreError) -> SchemaState {
    let dialect = connection.dialect
    let release = try connection.first(dialect.engineVersion, [])?.text(0) ?? ""
    let hasVersions = try connection.first(dialect.hasTable, [.text(Migrator.table)]) != nil
    let version = hasVersions ? try Migrator.version(on: connection) : 0
    return SchemaState(engine: "\(dialect.engineName) \(release)", version: version, known: known)
  }
}
