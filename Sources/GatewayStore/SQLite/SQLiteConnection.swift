import CSQLite
import GatewayBase

/// One connection to the file, with the settings that every connection needs.
///
/// `@unchecked Sendable`: it is handed from thread to thread, and used by one at a time.
@safe final class SQLiteConnection: Connection, @unchecked Sendable {
  enum Role { case reader, writer }

  let dialect = Dialect.sqlite
  private let database: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  /// Pages in the write-ahead log after the last commit, as SQLite's hook reports them.
  private let logPages: UnsafeMutablePointer<Int32>
  private var inTransaction = false

  /// Opens the file, and creates it where there is none.
  init(path: String, role: Role) throws(StoreError) {
    try SQLiteFile.prepare(path)
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      defer { unsafe sqlite3_close_v2(handle) }
      throw unsafe SQLiteError.map(code, String(cString: sqlite3_errmsg(handle)))
    }
    unsafe database = unsafe handle
    unsafe logPages = .allocate(capacity: 1)
    unsafe logPages.initialize(to: 0)
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe sqlite3_busy_timeout(handle, Int32(Limits.storeWait * 1000))
    // This replaces the automatic checkpoint, which would run inside a commit that callers wait for.
    unsafe sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        unsafe context?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }, logPages)
    // Read by the first statement that follows: a damaged file is noticed here.
    _ = try query("PRAGMA journal_mode = WAL", [])
    _ = try query("PRAGMA synchronous = FULL", [])
    _ = try query("PRAGMA foreign_keys = ON", [])
    _ = try query("PRAGMA journal_size_limit = 67108864", [])
    if role == .reader { _ = try query("PRAGMA query_only = ON", []) }
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(database)
    unsafe logPages.deallocate()
  }

  @discardableResult
  func run(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> Int {
    _ = try query(sql, arguments)
    return Int(unsafe sqlite3_changes(database))
  }

  func query(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> [Row] {
    try checkTransaction()
    return try prepared(sql).rows(arguments)
  }

  /// Starts a transaction that may write, waiting for other processes' to end.
  func begin() throws(StoreError) {
    try run("BEGIN IMMEDIATE", [])
    inTransaction = true
  }

  /// - Throws: `StoreError.unavailable`; then the transaction is still to be rolled back.
  func commit() throws(StoreError) {
    do throws(StoreError) {
      try run("COMMIT", [])
    } catch .sql(let message) {
      throw .unavailable(message)
    }
    inTransaction = false
  }

  /// Ends the transaction without a trace, whatever state it is in.
  func rollBack() {
    inTransaction = false
    // Fails where SQLite rolled back by itself, which is what is wanted.
    _ = try? run("ROLLBACK", [])
  }

  /// SQLite ends a transaction by itself on some failures, such as a full disk. What a body would run after that would
  /// stay, and is refused.
  func checkTransaction() throws(StoreError) {
    if unsafe inTransaction && sqlite3_get_autocommit(database) != 0 {
      throw .unavailable("SQLite ended the transaction by itself")
    }
  }

  /// Copies the write-ahead log back into the file where it has grown, as far as readers allow.
  ///
  /// - Returns: the pages that stay in the log because a reader still needs them.
  func checkpoint() -> Int {
    guard unsafe logPages.pointee >= Int32(Limits.checkpointPages) else { return 0 }
    var pages: Int32 = 0
    var copied: Int32 = 0
    guard unsafe sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied) == SQLITE_OK
    else {
      return Int(unsafe logPages.pointee)
    }
    unsafe logPages.pointee = 0
    return Int(max(0, pages - copied))
  }

  private func prepared(_ sql: String) throws(StoreError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    if statements.count >= Limits.preparedStatements { statements.removeAll() }
    let statement = unsafe try SQLiteStatement(sql, database: database)
    statements[sql] = statement
    return statement
  }
}
