/// What a body given to `Store.read` or `Store.write` works with, on a thread that may block. It is valid until the body
/// returns, on the body's thread alone.
///
/// Statements are prepared once and kept; values are always bound to `?`, never written into the text.
package protocol Connection: AnyObject {
  var dialect: Dialect { get }

  /// Runs a statement that returns no rows.
  ///
  /// - Returns: how many rows an INSERT, UPDATE or DELETE matched.
  @discardableResult
  func run(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> Int

  /// Runs a statement and returns all rows of its result: a reader must say LIMIT where there may be many.
  func query(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> [Row]
}

extension Connection {
  /// The first row of the result, or nil where it is empty.
  package func first(_ sql: String, _ arguments: [SQLValue]) throws(StoreError) -> Row? {
    try query(sql, arguments).first
  }
}
