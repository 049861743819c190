import GatewayBase
import GatewayStore

/// That a token which ends unless it is used in time was used in time, as every node must know it: told in the feed of
/// revocations for as long as the token may live.
struct UsedTicket: Sendable, Hashable {
  let tokenID: String
  let user: String
  let app: Int64
  let expiresAt: UnixTime

  init(_ token: AccessToken) {
    tokenID = token.id
    user = token.userID
    app = token.appID
    expiresAt = token.expiresAt
  }

  /// From a row of `Revocation.columns`; nil for one that tells something else.
  init?(row: Row) throws(StoreError) {
    guard let ticket = try row.optionalText(7) else { return nil }
    tokenID = ticket
    user = try row.text(3)
    app = try row.integer(2)
    expiresAt = UnixTime(milliseconds: try row.integer(5))
  }

  /// Adds the row. Older releases read a user's revocation that ends nothing.
  func insert(on connection: any Connection) throws(StoreError) {
    try connection.run(
      "INSERT INTO revocations (app, user_id, issued_until, ticket, expires_at) VALUES (?, ?, 0, ?, ?)",
      [.integer(app), .text(user), .text(tokenID), .integer(expiresAt.milliseconds)])
  }
}

/// What a use of a ticket is.
enum TicketUse: Sendable, Equatable {
  /// In time, and the first that this node knows of.
  case first
  /// Of one that was used in time before.
  case again
  /// Of one that was not used in time: it has ended.
  case late
}
