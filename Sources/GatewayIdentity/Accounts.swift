import GatewayBase
import GatewayStore

/// The accounts of all apps.
package struct Accounts: Sendable {
  let store: any Store
  let clock: any WallClock
  /// They seal what providers leave with an account.
  let keys: SealingKeys
  /// Where revocations become known at once.
  let known: RevocationSet
  let logger: Logger
  private let appUserUUID: @Sendable (_ app: Int64, _ user: String) -> String

  /// - Parameters:
  ///   - revocations: what this node knows of revocations.
  ///   - appUserUUID: the name-based UUID of an app's user, which never changes.
  package init(
    store: any Store, keys: SealingKeys, revocations: RevocationSet, clock: any WallClock, logger: Logger,
    appUserUUID: @escaping @Sendable (_ app: Int64, _ user: String) -> String
  ) {
    self.store = store
    self.keys = keys
    known = revocations
    self.clock = clock
    self.logger = logger
    self.appUserUUID = appUserUUID
  }

  /// Finds or makes the account of a proven identity, and burns its credentials.
  ///
  /// All of it is one transaction: what is refused burns nothing, and what was answered is durable.
  ///
  /// - Throws: `SignInFailure`; `Refusal.storeUnavailable`.
  package func signIn(_ identity: VerifiedSignIn) async throws -> SignIn {
    guard (1...VerifiedSignIn.subjectBytes).contains(identity.subject.utf8.count) else {
      throw SignInFailure.unusableSubject
    }
    let transaction = SignInTransaction(identity, now: clock.now, keys: keys)
    let outcome = try await logger.refusing { try await store.write { try transaction.run(on: $0) } }
    return SignIn(
      profile: profile(outcome.account, app: identity.app, suggestsLinking: outcome.suggestsLinking),
      isNewAccount: outcome.isNew)
  }

  /// The account of a token, as `GET me` shows it, or nil where there is none any more.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func profile(user: String, app: Int64) async throws -> Profile? {
    let found = try await logger.refusing {
      try await store.read { connection -> (Account, Bool)? in
        let sql = "SELECT \(Account.columns) FROM users WHERE id = ? AND (app = ? OR app IS NULL)"
        guard let row = try connection.first(sql, [.text(user), .integer(app)]) else { return nil }
        let account = try Account(row: row)
        return (account, try LinkSuggestion.applies(to: account, on: connection))
      }
    }
    return found.map { profile($0, app: app, suggestsLinking: $1) }
  }

  private func profile(_ account: Account, app: Int64, suggestsLinking: Bool) -> Profile {
    Profile(account: account, appUserUUID: appUserUUID(app, account.id), suggestsLinking: suggestsLinking)
  }
}
