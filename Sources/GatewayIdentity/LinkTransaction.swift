import GatewayBase
import GatewayCrypto
import GatewayStore

/// What an app asks for when it links an account of its own with a regular one.
package struct LinkRequest: Sendable {
  /// Which data survive.
  package enum Choice: String, Sendable {
    /// Those of the regular account, which the app-local one becomes part of.
    case speed
    /// Those of the app-local account.
    case local
  }

  let user: String
  let app: Int64
  let speedToken: AccessToken
  let keep: Choice?
  let origin: AuditEntry.Origin

  /// - Parameters:
  ///   - user: the app-local account's.
  ///   - speedToken: proves who has the regular account. Its signature, app and time are good.
  ///   - keep: nil where the regular account has no data in the app.
  package init(user: String, app: Int64, speedToken: AccessToken, keep: Choice?, origin: AuditEntry.Origin) {
    self.user = user
    self.app = app
    self.speedToken = speedToken
    self.keep = keep
    self.origin = origin
  }
}

/// Why two accounts were not linked.
package enum LinkFailure: Error, Sendable, Equatable {
  /// The account is not an app's own, or is linked.
  case notLinkable
  /// The token is not that of a regular account, was used before, or has been ended.
  case invalidSpeedToken
  /// The regular account has data in the app, and it was not said which data survive.
  case appDataConflict
  /// The regular account backs another account of this app, or an identity of this app reaches it.
  case speedAccountInUse
  /// The account is not linked.
  case notLinked
}

/// The statements that link an app-local account with a regular one. They may run several times; only those of the
/// committed run count.
struct LinkTransaction: Sendable {
  struct Outcome: Sendable {
    /// The account that the app-local identity reaches from now on, and what backs it.
    let account: Account
    let backing: Account?
    var changes: TokenChanges
  }

  let request: LinkRequest
  let now: UnixTime
  let keys: SealingKeys
  let appUserUUID: Accounts.UUIDMaker

  /// - Throws: `LinkFailure`, `StoreError`.
  func run(on connection: any Connection) throws -> Outcome {
    let local = try lockLocal(on: connection)
    let speed = try lockSpeed(on: connection)
    if try isInUse(speed, on: connection) { throw LinkFailure.speedAccountInUse }
    let hasData = try Membership.exists(user: speed.id, app: request.app, on: connection)
    // A session that the app has since been taken from.
    if request.speedToken.purpose == .session, !hasData { throw LinkFailure.invalidSpeedToken }
    if hasData, request.keep == nil { throw LinkFailure.appDataConflict }
    do {
      try ReplayLedger.burn(speedTokenKey, on: connection)
    } catch SignInFailure.replayed {
      throw LinkFailure.invalidSpeedToken
    }
    for user in [local.id, speed.id] {
      try AuditEntry(
        .link, app: request.app, user: user, by: .user, from: request.origin,
        detail: request.keep.map { "keep \($0.rawValue)" }
      ).insert(at: now, on: connection)
    }
    return request.keep == .speed
      ? try AccountMerge(app: request.app, local: local, speed: speed, now: now, keys: keys, appUserUUID: appUserUUID)
        .run(on: connection)
      : try link(local, speed, hasData: hasData, on: connection)
  }

  private func lockLocal(on connection: any Connection) throws -> Account {
    let row = try connection.first(
      "SELECT \(Account.columns), link_changes FROM users WHERE id = ? AND app = ?\(connection.dialect.forUpdate)",
      [.text(request.user), .integer(request.app)])
    guard let row, try row.integer(7) % 2 == 0 else { throw LinkFailure.notLinkable }
    return try Account(row: row)
  }

  private func lockSpeed(on connection: any Connection) throws -> Account {
    let row = try connection.first(
      """
      SELECT \(Account.columns), sessions_ended_at FROM users WHERE id = ? AND app IS NULL\(connection.dialect.forUpdate)
      """, [.text(request.speedToken.userID)])
    guard let row, request.speedToken.issuedAt.seconds > UnixTime(milliseconds: try row.integer(7)).seconds,
      try !ReplayLedger.holds(speedTokenKey, on: connection)
    else { throw LinkFailure.invalidSpeedToken }
    return try Account(row: row)
  }

  /// Whether an account of the app is linked with it, or has become part of it: a second one would reach the first one's
  /// data.
  private func isInUse(_ speed: Account, on connection: any Connection) throws(StoreError) -> Bool {
    let (user, app) = (SQLValue.text(speed.id), SQLValue.integer(request.app))
    let lock = connection.dialect.forUpdate
    if try connection.first("SELECT 1 FROM links WHERE app = ? AND speed_user = ?\(lock)", [app, user]) != nil {
      return true
    }
    return try connection.first("SELECT 1 FROM identities WHERE user_id = ? AND app = ?\(lock)", [user, app]) != nil
  }

  /// Both accounts stay, and the regular one reaches the app-local one.
  private func link(
    _ local: Account, _ speed: Account, hasData: Bool, on connection: any Connection
  ) throws -> Outcome {
    try connection.run(
      "INSERT INTO links (app, local_user, speed_user, created_at) VALUES (?, ?, ?, ?)",
      [.integer(request.app), .text(local.id), .text(speed.id), .integer(now.milliseconds)])
    var changes = TokenChanges(links: [try LinkChange.note(of: local.id, app: request.app, at: now, on: connection)])
    // A session of the regular account would go on reaching its own data.
    if hasData {
      changes.revocations.append(try SessionEnd(user: speed.id, app: request.app, now: now).run(on: connection))
    }
    return Outcome(account: local, backing: speed, changes: changes)
  }

  /// One success for each token.
  private var speedTokenKey: ReplayKey {
    ReplayKey(
      digest: Digest.sha256(Array("speed-token:\(request.speedToken.id)".utf8)),
      expiresAt: request.speedToken.expiresAt)
  }
}

/// The statements that end a link, under which the app-local account stays with its data.
struct UnlinkTransaction: Sendable {
  let user: String
  let app: Int64
  let now: UnixTime
  let origin: AuditEntry.Origin

  /// - Throws: `LinkFailure.notLinked`, `StoreError`.
  func run(on connection: any Connection) throws -> TokenChanges {
    guard try AppAccounts.lock(user, on: connection),
      let backing = try AccountLink.backing(of: user, app: app, on: connection)
    else { throw LinkFailure.notLinked }
    try connection.run("DELETE FROM links WHERE app = ? AND local_user = ?", [.integer(app), .text(user)])
    for account in [user, backing.id] {
      try AuditEntry(.unlink, app: app, user: account, by: .user, from: origin).insert(at: now, on: connection)
    }
    return TokenChanges(links: [try LinkChange.note(of: user, app: app, at: now, on: connection)])
  }
}
