import GatewayStore

/// Which regular account backs which app-local one.
enum AccountLink {
  /// The regular account that backs an app-local one.
  static func backing(of user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Account? {
    let row = try connection.first(
      """
      SELECT \(Account.columns) FROM links JOIN users ON users.id = links.speed_user
      WHERE links.app = ? AND links.local_user = ?
      """, [.integer(app), .text(user)])
    guard let row else { return nil }
    return try Account(row: row)
  }

  /// The app-local account that a regular one backs in an app. The regular one must be locked.
  static func local(backedBy user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Account? {
    let row = try connection.first(
      """
      SELECT \(Account.columns) FROM links JOIN users ON users.id = links.local_user
      WHERE links.app = ? AND links.speed_user = ?\(connection.dialect.forUpdate)
      """, [.integer(app), .text(user)])
    guard let row else { return nil }
    return try Account(row: row)
  }
}
