import GatewayBase
import GatewayStore

/// The statements that delete an account of an app, in one transaction. They may run several times; only those of the
/// committed run count.
struct AccountDeletion: Sendable {
  let user: String
  let app: Int64
  let now: UnixTime
  let actor: AuditEntry.Actor
  let origin: AuditEntry.Origin

  /// An app's own account goes with all that it has; a regular one only loses the app, with its balance there and the
  /// identities that reach it from there. The same holds for a regular account that backs the app's own. The providers'
  /// grants become work that releases them.
  ///
  /// - Returns: the end of all tokens of the user in the app; nil where there is no such account.
  func run(on connection: any Connection) throws -> Revocation? {
    // Locked, so that a grant that is coming in finds the account or finds it gone.
    let row = try connection.first(
      "SELECT app FROM users WHERE id = ? AND (app = ? OR app IS NULL)\(connection.dialect.forUpdate)",
      [.text(user), .integer(app)])
    guard let row else { return nil }
    let isLocal = try !row.isNull(0)
    if isLocal {
      if let backing = try AccountLink.backing(of: user, app: app, on: connection) {
        try leave(backing.id, on: connection)
      }
      try connection.run("DELETE FROM links WHERE app = ? AND local_user = ?", [.integer(app), .text(user)])
    } else if try AppAccounts.find(user, app: app, on: connection) == nil {
      return nil
    }
    try leave(user, on: connection)
    let account: [SQLValue] = [.text(user), .integer(app)]
    try ProviderJob.release(grantsWhere: "user_id = ? AND app = ?", account, at: now, on: connection)
    try connection.run("DELETE FROM identities WHERE user_id = ? AND app = ?", account)
    if isLocal { try connection.run("DELETE FROM users WHERE id = ? AND app = ?", account) }
    try AppUserUUIDs.remove(of: user, app: app, on: connection)
    let revocation = revocation(isLocal: isLocal)
    try revocation.insert(on: connection)
    try AuditEntry.removeAddresses(user: user, app: app, on: connection)
    try AuditEntry(.delete, app: app, user: user, by: actor, from: origin.withoutAddress)
      .insert(at: now, on: connection)
    return revocation
  }

  /// Takes from an account what it has in the app.
  private func leave(_ user: String, on connection: any Connection) throws(StoreError) {
    try Membership.end(user: user, app: app, on: connection)
    try SignInCodes.end(user: user, app: app, on: connection)
    try Balance.remove(of: user, app: app, on: connection)
  }

  /// A regular account may come back to the app.
  private func revocation(isLocal: Bool) -> Revocation {
    let gone = Revocation.ofGoneAccount(user, app: app, at: now)
    return isLocal ? gone : Revocation(.user(user, app: app, issuedUntil: now), expiresAt: gone.expiresAt)
  }
}
