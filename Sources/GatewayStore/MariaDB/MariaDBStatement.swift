import CMariaDB

/// A prepared statement of one connection.
@safe final class MariaDBStatement {
  struct Failure: Error {
    let code: UInt32
    /// What the server says, which may quote values where it is not of the text.
    let message: String
    /// Whether the text of the statement was at fault, before any value was known.
    let isOfText: Bool
  }

  private let handle: UnsafeMutablePointer<MYSQL_STMT>
  private let result: MariaDBResult?

  /// - Parameter connection: outlives the statement.
  init(_ sql: String, connection: UnsafeMutablePointer<MYSQL>) throws(Failure) {
    guard let handle = unsafe mysql_stmt_init(connection) else {
      throw unsafe Failure(code: mysql_errno(connection), message: "no memory for a statement", isOfText: true)
    }
    guard unsafe mysql_stmt_prepare(handle, sql, UInt(sql.utf8.count)) == 0 else {
      defer { unsafe mysql_stmt_close(handle) }
      throw unsafe Failure(
        code: mysql_stmt_errno(handle), message: String(cString: mysql_stmt_error(handle)), isOfText: true)
    }
    unsafe self.handle = unsafe handle
    unsafe result = MariaDBResult(of: handle)
  }

  deinit { unsafe mysql_stmt_close(handle) }

  /// Runs the statement to its end.
  ///
  /// - Returns: the rows of its result, or how many rows it matched.
  func execute(_ arguments: [SQLValue]) throws(Failure) -> (rows: [Row], matched: Int) {
    guard arguments.count == Int(unsafe mysql_stmt_param_count(handle)) else {
      throw Failure(code: 0, message: "\(arguments.count) arguments do not fit the statement", isOfText: true)
    }
    let parameters = MariaDBParameters(arguments)
    guard unsafe mysql_stmt_bind_param(handle, parameters.binds) == 0, unsafe mysql_stmt_execute(handle) == 0 else {
      throw failure
    }
    guard let result else { return ([], Int(clamping: unsafe mysql_stmt_affected_rows(handle))) }
    defer { unsafe mysql_stmt_free_result(handle) }
    // The whole result is taken off the connection at once.
    guard unsafe mysql_stmt_bind_result(handle, result.binds) == 0, unsafe mysql_stmt_store_result(handle) == 0 else {
      throw failure
    }
    var rows: [Row] = []
    while true {
      switch unsafe mysql_stmt_fetch(handle) {
      case 0, MYSQL_DATA_TRUNCATED: rows.append(unsafe Row(values: result.values(of: handle)))
      case MYSQL_NO_DATA: return (rows, 0)
      default: throw failure
      }
    }
  }

  private var failure: Failure {
    unsafe Failure(code: mysql_stmt_errno(handle), message: String(cString: mysql_stmt_error(handle)), isOfText: false)
  }
}
