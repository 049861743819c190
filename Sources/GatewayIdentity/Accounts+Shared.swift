import GatewayBase
import GatewayStore

// Regular accounts, which all apps share.
extension Accounts {
  /// Makes the regular account of an identity, or has it follow the identity. No app hears of it.
  ///
  /// - Throws: `SignInFailure.unusableSubject`; `Refusal.storeUnavailable`.
  package func keep(_ identity: SharedIdentity) async throws {
    guard VerifiedSignIn.isUsable(identity.subject) else { throw SignInFailure.unusableSubject }
    let account = SharedAccount(identity: identity, now: clock.now)
    try await logger.refusing { try await store.write { _ = try account.keep(on: $0) } }
  }

  /// Whether a regular account has signed in to an app and was not deleted there since, or backs an account of the app's
  /// own.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func isRegistered(subject: String, issuer: String, app: Int64) async throws -> Bool {
    try await logger.refusing {
      try await store.read { connection in
        guard let user = try SharedAccount.find(issuer: issuer, subject: subject, on: connection) else { return false }
        return try connection.first(
          """
          SELECT 1 FROM memberships WHERE user_id = ? AND app = ?
          UNION ALL SELECT 1 FROM links WHERE speed_user = ? AND app = ?
          """, [.text(user), .integer(app), .text(user), .integer(app)]) != nil
      }
    }
  }

  /// Ends the tokens of a regular account in all apps, those for linking too, and with them those of the app-local accounts
  /// that it backs: here at once, on other nodes within two seconds.
  ///
  /// - Throws: `Refusal.storeUnavailable`; then they are still good.
  package func endSessions(subject: String, issuer: String) async throws {
    let now = clock.now
    let revocations = try await logger.refusing {
      try await store.write { connection -> [Revocation] in
        guard let user = try SharedAccount.find(issuer: issuer, subject: subject, on: connection),
          try SharedAccount.lock(user, on: connection) != nil
        else { return [] }
        try connection.run(
          "UPDATE users SET sessions_ended_at = ? WHERE id = ?", [.integer(now.milliseconds), .text(user)])
        // A code for linking is of an app that may know nothing of the account.
        try SignInCodes.end(user: user, on: connection)
        let rows = try connection.query(
          """
          SELECT app, user_id FROM memberships WHERE user_id = ?
          UNION ALL SELECT app, local_user FROM links WHERE speed_user = ?
          """, [.text(user), .text(user)])
        return try rows.map { row throws(StoreError) in
          let end = SessionEnd(user: try row.text(1), app: try row.integer(0), now: now)
          try SignInCodes.end(user: end.user, on: connection)
          try AuditEntry(.sessionsEnded, app: end.app, user: end.user, by: .user, detail: "everywhere")
            .insert(at: now, on: connection)
          return try end.run(on: connection)
        }
      }
    }
    known.add(revocations)
  }

  /// The regular account of a proven identity, for an app that wants to link it: it is made where there is none, and not
  /// registered with the app.
  ///
  /// - Throws: `SignInFailure`; `Refusal.storeUnavailable`.
  package func linkingProfile(of identity: VerifiedSignIn) async throws -> Profile {
    guard VerifiedSignIn.isUsable(identity.subject) else { throw SignInFailure.unusableSubject }
    let shared = SharedAccount(identity: SharedIdentity(identity), now: clock.now)
    let account = try await logger.refusing {
      try await store.write { connection in
        let account = try shared.keep(on: connection)
        try SharedAccount.requireSessions(of: account.id, since: identity.begunAt, on: connection)
        for key in identity.replayKeys { try ReplayLedger.burn(key, on: connection) }
        return account
      }
    }
    return profile(account, app: identity.app)
  }

  /// A regular account, for an app that wants to link it; nil where there is none any more.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func linkingProfile(user: String, app: Int64) async throws -> Profile? {
    let account = try await logger.refusing {
      try await store.read { connection -> Account? in
        try connection.first(
          "SELECT \(Account.columns) FROM users WHERE id = ? AND app IS NULL", [.text(user)]
        ).map { try Account(row: $0) }
      }
    }
    return account.map { profile($0, app: app) }
  }
}
