import CMariaDB
import GatewayBase

/// One connection to the server.
///
/// `@unchecked Sendable`: it is handed from thread to thread, and used by one at a time.
@safe final class MariaDBConnection: Connection, @unchecked Sendable {
  /// Why the transaction under way, or the connection, has no future. From then on each statement is refused, so that a
  /// body which hides an error does not go on outside its transaction.
  enum Fault: Equatable {
    case conflict
    case lost(String)
  }

  let dialect = Dialect.mariaDB
  private(set) var fault: Fault?
  /// Whether the connection was lost while a commit was under way: nobody knows whether it took place.
  private(set) var isCommitInDoubt = false
  private let handle: UnsafeMutablePointer<MYSQL>
  private var statements: [String: MariaDBStatement] = [:]

  /// Connects and signs in.
  ///
  /// - Parameter timeLimit: seconds for each answer; half of it for each lock.
  init(_ address: MariaDBAddress, password: Secret?, timeLimit: Int) throws(StoreError) {
    _ = Self.library
    guard let handle = unsafe mysql_init(nil) else { throw .unavailable("no memory for a connection") }
    unsafe self.handle = unsafe handle
    unsafe MariaDBOptions(address, timeLimit: timeLimit).apply(to: handle)
    guard unsafe Self.connect(handle, to: address, password) else {
      // Of the connect alone: it names the address and the user, and no values exist yet.
      throw .unavailable(unsafe "\(String(cString: mysql_error(handle))) (MariaDB code \(mysql_errno(handle)))")
    }
    try command(
      """
      SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,NO_ENGINE_SUBSTITUTION',
      tx_isolation = 'READ-COMMITTED', autocommit = 1, innodb_lock_wait_timeout = \(max(1, timeLimit / 2))
      """)
  }

  deinit {
    statements.removeAll()
    unsafe mysql_close(handle)
  }

  @discardableResult
  func run(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> Int {
    try perform(sql, arguments).matched
  }

  func query(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> [Row] {
    try perform(sql, arguments).rows
  }

  /// Runs `body` in one transaction. When this throws, `fault` and `isCommitInDoubt` say whether another try makes sense.
  func transaction<Result>(_ body: (any Connection) throws -> Result) throws -> Result {
    try command("START TRANSACTION")
    let result: Result
    do {
      result = try body(self)
      if let fault { throw error(of: fault) }
    } catch {
      try? command("ROLLBACK")
      throw error
    }
    do throws(StoreError) {
      try command("COMMIT")
    } catch {
      if case .lost = fault { isCommitInDoubt = true }
      try? command("ROLLBACK")
      throw error
    }
    return result
  }

  /// Forgets a conflict, once its transaction is over.
  func clearConflict() { if fault == .conflict { fault = nil } }

  private func perform(
    _ sql: String, _ arguments: [SQLValue]
  ) throws(StoreError) -> (rows: [Row], matched: Int) {
    if let fault { throw error(of: fault) }
    do throws(MariaDBStatement.Failure) {
      return try prepared(sql).execute(arguments)
    } catch {
      throw note(error, sql)
    }
  }

  /// Runs a command without arguments and result, also after a conflict.
  private func command(_ sql: String) throws(StoreError) {
    if case .lost(let reason) = fault { throw .unavailable(reason) }
    guard unsafe mysql_real_query(handle, sql, UInt(sql.utf8.count)) == 0 else {
      throw note(
        unsafe MariaDBStatement.Failure(
          code: mysql_errno(handle), message: String(cString: mysql_error(handle)), isOfText: true), sql)
    }
  }

  private func prepared(_ sql: String) throws(MariaDBStatement.Failure) -> MariaDBStatement {
    if let statement = statements[sql] { return statement }
    if statements.count >= Limits.preparedStatements { statements.removeAll() }
    let statement = unsafe try MariaDBStatement(sql, connection: handle)
    statements[sql] = statement
    return statement
  }

  /// Remembers what a failure means for this connection. Messages of a run may quote bound values, and stay out.
  private func note(_ failure: MariaDBStatement.Failure, _ sql: String) -> StoreError {
    let text = failure.isOfText ? failure.message : "in \(sql)"
    let reason = "\(text) (MariaDB code \(failure.code))"
    switch MariaDBError.meaning(of: failure.code) {
    case .duplicate: return .uniqueViolation(on: MariaDBError.keyName(in: failure.message))
    case .conflict: fault = .conflict
    case .lost: fault = .lost(reason)
    case .refused: return .unavailable(reason)
    case .bug: return .sql(reason)
    }
    return fault.map(error) ?? .conflict
  }

  private func error(of fault: Fault) -> StoreError {
    switch fault {
    case .conflict: .conflict
    case .lost(let reason): .unavailable(reason)
    }
  }

  /// The client library is to be started once, before any thread uses it.
  private static let library = mysql_server_init(0, nil, nil)

  private static func connect(_ handle: UnsafeMutablePointer<MYSQL>, to address: MariaDBAddress, _ password: Secret?)
    -> Bool
  {
    let password = (password?.reveal() ?? []) + [0]
    let (host, port, socket): (String?, UInt16, String?) =
      switch address.endpoint {
      case .tcp(let host, let port): (host, port, nil)
      case .socket(let path): (nil, 0, path)
      }
    return unsafe password.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
      unsafe mysql_real_connect(
        handle, host, address.user, $0.baseAddress, address.database, UInt32(port), socket, UInt(CLIENT_FOUND_ROWS))
        != nil
    }
  }
}
