/// A database that keeps what must survive: SQLite in a file, or MariaDB.
///
/// Opening one does no I/O. The first use connects and brings the schema up to date; while that is not possible each use
/// throws `StoreError.unavailable`, and a later one tries again.
package protocol Store: Sendable {
  /// Runs `body` outside any transaction: each of its statements sees what was committed before it began.
  /// The body must not write.
  ///
  /// - Throws: `StoreError`, or what the body threw.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result

  /// Runs `body` in one transaction and returns once it is durable. Where the body throws, nothing of it stays.
  ///
  /// The body may run several times (after a deadlock, or a connection that was lost before the commit), so it must have
  /// no effect besides its statements, and pass `StoreError.conflict` and `.unavailable` on. Isolation is READ COMMITTED at
  /// least: let a unique index decide between two writers, not a SELECT before.
  ///
  /// - Throws: `StoreError`, or what the body threw.
  @discardableResult
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result

  /// Connects, and brings the schema up to date. Safe on several nodes at once.
  ///
  /// - Returns: the versions applied by this call.
  /// - Throws: `StoreError.unavailable`, also while another call is at it; `.schemaTooNew`.
  @discardableResult
  func migrate() async throws -> [Int]

  /// Connects and looks, and leaves the schema as it is.
  ///
  /// - Returns: nil where there is no database yet: the file of SQLite is absent.
  /// - Throws: `StoreError.unavailable`.
  func inspect() async throws -> SchemaState?
}
