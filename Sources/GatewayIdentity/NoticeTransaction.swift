import GatewayBase
import GatewayStore

/// The statements of one notice. They may run several times; only those of the committed run count.
struct NoticeTransaction: Sendable {
  struct Outcome: Sendable {
    var effects: [VerifiedNotice.Effect] = []
    var revocations: [Revocation] = []
  }

  private struct Known {
    let user: String
    let signedInAt: UnixTime
    let noticedAt: UnixTime
  }

  let notice: VerifiedNotice
  let now: UnixTime
  let origin: AuditEntry.Origin

  /// A repeat does nothing, and so does what happened before the user's last sign-in: the user has consented again.
  func run(on connection: any Connection) throws -> Outcome {
    var outcome = Outcome()
    if try ReplayLedger.holds(notice.replayKey, on: connection) { return outcome }
    do {
      try ReplayLedger.burn(notice.replayKey, on: connection)
    } catch SignInFailure.replayed {
      return outcome
    }
    for event in notice.events {
      guard let known = try find(event, on: connection), event.time >= known.signedInAt else { continue }
      guard try apply(event, to: known, on: connection, &outcome) else { continue }
      outcome.effects.append(VerifiedNotice.Effect(user: known.user, kind: event.kind.rawValue))
      try AuditEntry(
        .notice, app: notice.app, user: known.user, by: .provider,
        from: event.kind == .accountDeleted ? origin.withoutAddress : origin, detail: event.kind.rawValue
      ).insert(at: now, on: connection)
    }
    return outcome
  }

  private func key(_ event: VerifiedNotice.Event) -> [SQLValue] {
    [.integer(notice.app), .text(event.team ?? ""), .text(event.issuer), .text(event.subject)]
  }

  private func find(_ event: VerifiedNotice.Event, on connection: any Connection) throws(StoreError) -> Known? {
    let row = try connection.first(
      """
      SELECT user_id, signed_in_at, noticed_at FROM identities
      WHERE app = ? AND team = ? AND issuer = ? AND subject = ?\(connection.dialect.forUpdate)
      """, key(event))
    guard let row else { return nil }
    return Known(
      user: try row.text(0), signedInAt: UnixTime(milliseconds: try row.integer(1)),
      noticedAt: UnixTime(milliseconds: try row.integer(2)))
  }

  /// - Returns: whether it changed anything.
  private func apply(
    _ event: VerifiedNotice.Event, to known: Known, on connection: any Connection, _ outcome: inout Outcome
  ) throws -> Bool {
    switch event.kind {
    case .consentWithdrawn:
      let end = SessionEnd(user: known.user, app: notice.app, now: now)
      outcome.revocations.append(try end.run(on: connection))
      // The provider has ended its own grants with the consent.
      try connection.run(
        "DELETE FROM grants WHERE user_id = ? AND app = ?", [.text(known.user), .integer(notice.app)])
    case .accountDeleted:
      let deletion = AccountDeletion(
        user: known.user, app: notice.app, now: now, actor: .provider, origin: origin)
      guard let revocation = try deletion.run(on: connection) else { return false }
      outcome.revocations.append(revocation)
    case .emailDisabled, .emailEnabled:
      guard event.time >= known.noticedAt else { return false }
      try connection.run(
        """
        UPDATE identities SET email_disabled = ?, noticed_at = ?
        WHERE app = ? AND team = ? AND issuer = ? AND subject = ?
        """,
        [.flag(event.kind == .emailDisabled), .integer(event.time.milliseconds)] + key(event))
    }
    return true
  }
}

/// Ends all sessions of a user in an app; the account stays.
struct SessionEnd: Sendable {
  let user: String
  let app: Int64
  let now: UnixTime

  func run(on connection: any Connection) throws(StoreError) -> Revocation {
    let revocation = Revocation(
      .user(user, app: app, issuedUntil: now), expiresAt: now.adding(seconds: Limits.tokenLifetime + 60))
    try revocation.insert(on: connection)
    return revocation
  }
}
