import GatewayStore

/// What an account has in an app, in whole units. It is the sum of the entries.
enum Balance {
  /// What no balance may exceed: it fits into what JavaScript takes for an integer, also where two of them become one.
  static let highest: Int64 = 1_000_000_000_000_000

  static func amount(of user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Int64 {
    try connection.first(
      "SELECT amount FROM balances WHERE app = ? AND user_id = ?", [.integer(app), .text(user)]
    )?.integer(0) ?? 0
  }

  /// The account must be locked.
  static func set(
    _ amount: Int64, of user: String, app: Int64, on connection: any Connection
  ) throws(StoreError) {
    let matched = try connection.run(
      "UPDATE balances SET amount = ? WHERE app = ? AND user_id = ?", [.integer(amount), .integer(app), .text(user)])
    guard matched == 0 else { return }
    try connection.run(
      "INSERT INTO balances (app, user_id, amount) VALUES (?, ?, ?)", [.integer(app), .text(user), .integer(amount)])
  }

  /// Adds a balance to another, with its entries. Both accounts must be locked.
  static func move(
    from user: String, to other: String, app: Int64, on connection: any Connection
  ) throws(StoreError) {
    let account: [SQLValue] = [.integer(app), .text(user)]
    let amount = try amount(of: user, app: app, on: connection)
    if amount != 0 {
      try set(amount + Self.amount(of: other, app: app, on: connection), of: other, app: app, on: connection)
    }
    try connection.run("DELETE FROM balances WHERE app = ? AND user_id = ?", account)
    try connection.run("UPDATE balance_entries SET user_id = ? WHERE app = ? AND user_id = ?", [.text(other)] + account)
  }

  static func remove(of user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    let account: [SQLValue] = [.integer(app), .text(user)]
    try connection.run("DELETE FROM balances WHERE app = ? AND user_id = ?", account)
    try connection.run("DELETE FROM balance_entries WHERE app = ? AND user_id = ?", account)
  }
}
