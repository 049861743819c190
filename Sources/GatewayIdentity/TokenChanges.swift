import GatewayBase
import GatewayStore

/// What transactions change about tokens that are out: this node knows it once they are durable, others with their next
/// poll.
struct TokenChanges: Sendable {
  var revocations: [Revocation] = []
  var links: [LinkChange] = []
  var tickets: [UsedTicket] = []

  init(revocations: [Revocation] = [], links: [LinkChange] = [], tickets: [UsedTicket] = []) {
    self.revocations = revocations
    self.links = links
    self.tickets = tickets
  }

  /// The rows of a poll of `Revocation.columns`.
  init(rows: [Row]) throws(StoreError) {
    for row in rows {
      if let ticket = try UsedTicket(row: row) {
        tickets.append(ticket)
        continue
      }
      guard let count = try row.optionalInteger(6) else {
        revocations.append(try Revocation(row: row))
        continue
      }
      links.append(
        LinkChange(
          user: try row.text(3), app: try row.integer(2), count: count,
          expiresAt: UnixTime(milliseconds: try row.integer(5))))
    }
  }
}

/// That an app-local account was linked or unlinked, as every node must know it. Tokens say it as it was when they were
/// issued, so it is told for as long as one from before may live.
struct LinkChange: Sendable, Hashable {
  let user: String
  let app: Int64
  /// How often the account was linked and unlinked, all in all: odd while it is linked. The higher of two is the later.
  let count: Int64
  let expiresAt: UnixTime

  /// Counts one more change of an account, which must be locked, and tells the other nodes.
  static func note(
    of user: String, app: Int64, at now: UnixTime, on connection: any Connection
  ) throws(StoreError) -> LinkChange {
    let account: [SQLValue] = [.text(user), .integer(app)]
    try connection.run("UPDATE users SET link_changes = link_changes + 1 WHERE id = ? AND app = ?", account)
    guard
      let count = try connection.first("SELECT link_changes FROM users WHERE id = ? AND app = ?", account)?.integer(0)
    else { throw .conflict }
    let change = LinkChange(
      user: user, app: app, count: count, expiresAt: now.adding(seconds: Limits.tokenLifetime + 3600))
    // Older releases read a user's revocation that ends nothing.
    try connection.run(
      "INSERT INTO revocations (app, user_id, issued_until, link_changes, expires_at) VALUES (?, ?, 0, ?, ?)",
      [.integer(app), .text(user), .integer(count), .integer(change.expiresAt.milliseconds)])
    return change
  }
}
