import CSQLite

/// Turns result codes into `StoreError` (https://sqlite.org/rescode.html).
enum SQLiteError {
  /// - Parameters:
  ///   - code: an extended result code.
  ///   - message: SQLite's own. It names tables, columns and pieces of the statement, never bound values.
  static func map(_ code: Int32, _ message: String) -> StoreError {
    switch code {
    case sqliteConstraintUnique, sqliteConstraintPrimaryKey, sqliteConstraintRowID:
      let prefix = "UNIQUE constraint failed: "
      return .uniqueViolation(on: message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
    default: break
    }
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM,
      SQLITE_AUTH, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_INTERRUPT, SQLITE_NOLFS:
      return .unavailable("\(message) (SQLite code \(code))")
    default:
      return .sql("\(message) (SQLite code \(code))")
    }
  }

  // These are expressions in the header, which Swift does not import.
  private static let sqliteConstraintUnique = SQLITE_CONSTRAINT | 8 << 8
  private static let sqliteConstraintPrimaryKey = SQLITE_CONSTRAINT | 6 << 8
  private static let sqliteConstraintRowID = SQLITE_CONSTRAINT | 10 << 8
}
