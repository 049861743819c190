import CSQLite

/// A prepared statement of one connection.
@safe final class SQLiteStatement {
  private let database: OpaquePointer
  private let handle: OpaquePointer

  /// - Parameter database: outlives the statement.
  init(_ sql: String, database: OpaquePointer) throws(StoreError) {
    var handle: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      throw unsafe SQLiteError.map(code, String(cString: sqlite3_errmsg(database)))
    }
    unsafe self.database = unsafe database
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs the statement to its end.
  func rows(_ arguments: [SQLValue]) throws(StoreError) -> [Row] {
    // An unreset statement would hold its lock on the database.
    defer {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
    }
    guard arguments.count == Int(unsafe sqlite3_bind_parameter_count(handle)) else {
      throw .sql("\(arguments.count) arguments do not fit the statement")
    }
    for (index, argument) in arguments.enumerated() { try bind(argument, at: Int32(index + 1)) }
    var rows: [Row] = []
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: rows.append(Row(values: (0..<(unsafe sqlite3_column_count(handle))).map(value)))
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  private var failure: StoreError {
    unsafe SQLiteError.map(sqlite3_extended_errcode(database), String(cString: sqlite3_errmsg(database)))
  }

  private func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
    let code: Int32
    switch value {
    case .null: code = unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): code = unsafe sqlite3_bind_int64(handle, index, number)
    case .text(var text):
      code = text.withUTF8 { unsafe csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
    case .blob(let bytes):
      code = unsafe bytes.withUnsafeBytes { unsafe csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
    }
    guard code == SQLITE_OK else { throw failure }
  }

  private func value(_ column: Int32) -> SQLValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_NULL: .null
    case SQLITE_BLOB:
      .blob(unsafe Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, column), count: size(column))))
    default:
      .text(
        unsafe String(
          decoding: UnsafeBufferPointer(start: sqlite3_column_text(handle, column), count: size(column)), as: UTF8.self)
      )
    }
  }

  /// Bytes of the column, valid after its pointer was asked for (https://sqlite.org/c3ref/column_blob.html).
  private func size(_ column: Int32) -> Int { Int(unsafe sqlite3_column_bytes(handle, column)) }
}
