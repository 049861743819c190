import GatewayStore

/// The accounts of an app, whichever kind they are.
enum AppAccounts {
  /// The app's own account of this id, or a regular one that has signed in to the app. One that backs an account of the
  /// app's own is not reached by its own id.
  static func find(_ user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Account? {
    let row = try connection.first(
      """
      SELECT \(Account.columns) FROM users
      WHERE users.id = ? AND (users.app = ?
        OR (users.app IS NULL
          AND EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = users.id AND memberships.app = ?)
          AND NOT EXISTS (SELECT 1 FROM links WHERE links.speed_user = users.id AND links.app = ?)))
      """, [.text(user), .integer(app), .integer(app), .integer(app)])
    guard let row else { return nil }
    return try Account(row: row)
  }

  /// Locks an account until the transaction ends: nobody links, deletes or charges it meanwhile.
  ///
  /// - Returns: whether there is one.
  static func lock(_ user: String, on connection: any Connection) throws(StoreError) -> Bool {
    try connection.first("SELECT 1 FROM users WHERE id = ?\(connection.dialect.forUpdate)", [.text(user)]) != nil
  }
}

/// The accounts of apps by their `appUserUUID`.
enum AppUserUUIDs {
  /// Accounts from before this table that one look-up deals with in a transaction.
  static let batch = 200

  /// Notes the UUID of an account; where that has become part of another, this leads to the other.
  static func note(_ uuid: String, of user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    let key: [SQLValue] = [.text(user), .integer(app), .text(uuid)]
    let update = "UPDATE app_user_uuids SET user_id = ? WHERE app = ? AND uuid = ?"
    if try connection.run(update, key) == 0 {
      do throws(StoreError) {
        try connection.run("INSERT INTO app_user_uuids (user_id, app, uuid) VALUES (?, ?, ?)", key)
      } catch .uniqueViolation {
        // Another node was faster.
        try connection.run(update, key)
      }
    }
    try connection.run("UPDATE users SET uuid_known = 1 WHERE id = ? AND app = ?", [.text(user), .integer(app)])
  }

  /// All that leads to an account leads to another from now on.
  static func move(from user: String, to other: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run(
      "UPDATE app_user_uuids SET user_id = ? WHERE user_id = ? AND app = ?",
      [.text(other), .text(user), .integer(app)])
  }

  static func remove(of user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run("DELETE FROM app_user_uuids WHERE user_id = ? AND app = ?", [.text(user), .integer(app)])
  }

  static func user(_ uuid: String, app: Int64, on connection: any Connection) throws(StoreError) -> String? {
    try connection.first(
      "SELECT user_id FROM app_user_uuids WHERE app = ? AND uuid = ?", [.integer(app), .text(uuid)]
    )?.text(0)
  }

  /// Notes accounts from before this table.
  ///
  /// - Returns: whether there may be more.
  static func catchUp(app: Int64, _ uuid: Accounts.UUIDMaker, on connection: any Connection) throws(StoreError) -> Bool
  {
    let rows = try connection.query(
      "SELECT id FROM users WHERE app = ? AND uuid_known = 0 LIMIT \(batch)", [.integer(app)])
    for row in rows {
      let user = try row.text(0)
      try note(uuid(app, user), of: user, app: app, on: connection)
    }
    return rows.count == batch
  }
}
