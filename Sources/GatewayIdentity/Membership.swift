import GatewayBase
import GatewayStore

/// The apps that regular accounts have signed in to, and so may have data in.
enum Membership {
  static func exists(user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Bool {
    try connection.first(
      "SELECT 1 FROM memberships WHERE user_id = ? AND app = ?\(connection.dialect.forUpdate)",
      [.text(user), .integer(app)]) != nil
  }

  /// Notes that a regular account signs in to an app. The account must be locked.
  ///
  /// - Returns: whether that is for the first time since it was last deleted there.
  static func signIn(
    user: String, app: Int64, at now: UnixTime, on connection: any Connection
  ) throws(StoreError) -> Bool {
    let time = SQLValue.integer(now.milliseconds)
    let isKnown =
      try connection.run(
        "UPDATE memberships SET signed_in_at = ? WHERE user_id = ? AND app = ?", [time, .text(user), .integer(app)]) > 0
    guard !isKnown else { return false }
    try connection.run(
      "INSERT INTO memberships (user_id, app, created_at, signed_in_at) VALUES (?, ?, ?, ?)",
      [.text(user), .integer(app), time, time])
    return true
  }

  static func end(user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run("DELETE FROM memberships WHERE user_id = ? AND app = ?", [.text(user), .integer(app)])
  }
}
