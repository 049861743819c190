import GatewayBase
import GatewayStore

extension Accounts {
  /// An identity by which a user signs in.
  package struct KnownIdentity: Sendable {
    /// The plugin and the client id of the last sign-in.
    package let provider: String?
    package let client: String?
    package let issuer: String
    package let subject: String
  }

  /// The identities of a user in an app.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func identities(user: String, app: Int64) async throws -> [KnownIdentity] {
    try await logger.refusing {
      try await store.read { connection in
        try connection.query(
          "SELECT provider, client, issuer, subject FROM identities WHERE user_id = ? AND app = ?",
          [.text(user), .integer(app)]
        ).map { row in
          KnownIdentity(
            provider: try row.optionalText(0), client: try row.optionalText(1), issuer: try row.text(2),
            subject: try row.text(3))
        }
      }
    }
  }

  /// Deletes an app's own account, or takes the app from a regular one, and ends all of the user's tokens in the app:
  /// here at once, on other nodes within two seconds.
  ///
  /// - Returns: whether there was such an account.
  /// - Throws: `Refusal.storeUnavailable`; then nothing is deleted.
  package func delete(
    user: String, app: Int64, by actor: AuditEntry.Actor, from origin: AuditEntry.Origin = .none
  ) async throws -> Bool {
    let deletion = AccountDeletion(user: user, app: app, now: clock.now, actor: actor, origin: origin)
    let revocation = try await logger.refusing { try await store.write { try deletion.run(on: $0) } }
    guard let revocation else { return false }
    known.add([revocation])
    return true
  }
}
