import GatewayBase
import GatewayStore

/// The accounts of all apps.
package struct Accounts: Sendable {
  /// Makes the name-based UUID of an app's user, which never changes.
  package typealias UUIDMaker = @Sendable (_ app: Int64, _ user: String) -> String

  let store: any Store
  let clock: any WallClock
  /// They seal what providers leave with an account.
  let keys: SealingKeys
  /// Where revocations become known at once.
  let known: RevocationSet
  let logger: Logger
  let appUserUUID: UUIDMaker

  /// - Parameters:
  ///   - revocations: what this node knows of revocations.
  ///   - appUserUUID: the name-based UUID of an app's user, which never changes.
  package init(
    store: any Store, keys: SealingKeys, revocations: RevocationSet, clock: any WallClock, logger: Logger,
    appUserUUID: @escaping UUIDMaker
  ) {
    self.store = store
    self.keys = keys
    known = revocations
    self.clock = clock
    self.logger = logger
    self.appUserUUID = appUserUUID
  }

  /// Finds or makes the account of a proven identity, and burns its credentials. A regular one is registered with the app,
  /// unless it backs an account of the app's own: that is reached then.
  ///
  /// All of it is one transaction: what is refused burns nothing, and what was answered is durable.
  ///
  /// - Throws: `SignInFailure`; `Refusal.storeUnavailable`.
  package func signIn(_ identity: VerifiedSignIn) async throws -> SignIn {
    guard VerifiedSignIn.isUsable(identity.subject) else { throw SignInFailure.unusableSubject }
    let transaction = SignInTransaction(identity, now: clock.now, keys: keys, appUserUUID: appUserUUID)
    let outcome = try await logger.refusing { try await store.write { try transaction.run(on: $0) } }
    return SignIn(
      profile: profile(
        outcome.account, backedBy: outcome.backing, app: identity.app, suggestsLinking: outcome.suggestsLinking),
      isNewAccount: outcome.isNew)
  }

  /// The account of a token, or nil where there is none any more.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func profile(user: String, app: Int64) async throws -> Profile? {
    try await logger.refusing { try await store.read { try profile(of: user, app: app, on: $0) } }
  }

  /// The account of a token with its balance in the app, as `GET me` shows it, or nil where there is none any more.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func profileWithBalance(user: String, app: Int64) async throws -> (profile: Profile, balance: Int64)? {
    try await logger.refusing {
      try await store.read { connection -> (profile: Profile, balance: Int64)? in
        guard let profile = try profile(of: user, app: app, on: connection) else { return nil }
        return (profile, try Balance.amount(of: user, app: app, on: connection))
      }
    }
  }

  /// An app's own account, or a regular one that has signed in to the app.
  func profile(of user: String, app: Int64, on connection: any Connection) throws(StoreError) -> Profile? {
    guard let account = try AppAccounts.find(user, app: app, on: connection) else { return nil }
    let backing = account.isLocal ? try AccountLink.backing(of: user, app: app, on: connection) : nil
    return profile(
      account, backedBy: backing, app: app,
      suggestsLinking: try LinkSuggestion.applies(to: account, backedBy: backing, on: connection))
  }

  func profile(
    _ account: Account, backedBy backing: Account? = nil, app: Int64, suggestsLinking: Bool = false
  ) -> Profile {
    Profile(
      account: account, backing: backing, appUserUUID: appUserUUID(app, account.id), suggestsLinking: suggestsLinking)
  }
}
