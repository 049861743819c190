import GatewayBase
import GatewayStore

/// The statements by which an app's own account becomes part of a regular one: its identities reach that from now on, its
/// balance and its grants are that one's, and its tokens end. Both accounts are locked.
struct AccountMerge: Sendable {
  let app: Int64
  let local: Account
  let speed: Account
  let now: UnixTime
  let keys: SealingKeys
  let appUserUUID: Accounts.UUIDMaker

  func run(on connection: any Connection) throws -> LinkTransaction.Outcome {
    try moveGrants(on: connection)
    try moveFollowUps(on: connection)
    let account: [SQLValue] = [.text(local.id), .integer(app)]
    try connection.run("UPDATE identities SET user_id = ? WHERE user_id = ? AND app = ?", [.text(speed.id)] + account)
    try Balance.move(from: local.id, to: speed.id, app: app, on: connection)
    _ = try Membership.signIn(user: speed.id, app: app, at: now, on: connection)
    for user in [local.id, speed.id] {
      try AppUserUUIDs.note(appUserUUID(app, user), of: user, app: app, on: connection)
    }
    try AppUserUUIDs.move(from: local.id, to: speed.id, app: app, on: connection)
    try SignInCodes.end(user: local.id, app: app, on: connection)
    try connection.run("DELETE FROM users WHERE id = ? AND app = ?", account)
    // Whoever deletes the regular account later does not know the id any more under which these stand.
    try AuditEntry.removeAddresses(user: local.id, app: app, on: connection)
    let revocation = Revocation.ofGoneAccount(local.id, app: app, at: now)
    try revocation.insert(on: connection)
    return LinkTransaction.Outcome(account: speed, backing: nil, changes: TokenChanges(revocations: [revocation]))
  }

  /// What is sealed is sealed for its account, and so it is sealed anew. What no key opens any more moves as it is.
  private func moveGrants(on connection: any Connection) throws {
    let rows = try connection.query(
      "SELECT id, client, sealed FROM grants WHERE user_id = ? AND app = ?\(connection.dialect.forUpdate)",
      [.text(local.id), .integer(app)])
    for row in rows {
      try connection.run(
        "UPDATE grants SET user_id = ?, sealed = ? WHERE id = ?",
        [
          .text(speed.id), .blob(try resealed(try row.blob(2), .grant, client: try row.text(1))),
          .integer(try row.integer(0)),
        ])
    }
  }

  /// Work that a sign-in left may bring a grant, which must find the account. Releases are of grants that the account has
  /// lost, and stay as they are.
  private func moveFollowUps(on connection: any Connection) throws {
    let rows = try connection.query(
      """
      SELECT id, client, sealed FROM provider_jobs
      WHERE user_id = ? AND app = ? AND kind = '\(ProviderJob.Kind.followUp.rawValue)'\(connection.dialect.forUpdate)
      """, [.text(local.id), .integer(app)])
    for row in rows {
      try connection.run(
        "UPDATE provider_jobs SET user_id = ?, sealed = ? WHERE id = ?",
        [
          .text(speed.id), .blob(try resealed(try row.blob(2), .followUp, client: try row.text(1))),
          .integer(try row.integer(0)),
        ])
    }
  }

  private func resealed(_ sealed: [UInt8], _ kind: SealingContext.Kind, client: String) throws -> [UInt8] {
    guard let secret = keys.open(sealed, SealingContext(kind, owner: local.id, name: client)) else { return sealed }
    return try keys.seal(secret, SealingContext(kind, owner: speed.id, name: client))
  }
}
