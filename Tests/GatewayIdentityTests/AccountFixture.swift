import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

/// A clock that a test moves.
final class TestClock: WallClock {
  private let time = Locked(UnixTime(seconds: 1_780_000_000))

  var now: UnixTime { time.withLock { $0 } }

  func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// Accounts on a database of their own.
struct AccountFixture {
  let store: any Store
  let database: TestDatabase
  let clock = TestClock()
  let logger = Logger(level: .error)
  let keys = SealingKeys(.generate())
  let known = RevocationSet()

  /// As another node of the same database would have them, where a store is given.
  func accounts(on store: (any Store)? = nil) -> Accounts {
    Accounts(store: store ?? self.store, keys: keys, revocations: known, clock: clock, logger: logger) { app, user in
      "uuid-of-\(app)-\(user)"
    }
  }

  var jobs: ProviderJobs { ProviderJobs(store: store, keys: keys, clock: clock) }

  func run(_ sql: String, _ arguments: [SQLValue] = []) async throws {
    try await store.write { try $0.run(sql, arguments) }
  }

  func count(_ query: String) async throws -> Int64? { try await store.read { try $0.first(query, [])?.integer(0) } }

  /// A regular account, as signing up will make it.
  func addRegularAccount(verifiedEmail: String) async throws {
    try await run(
      """
      INSERT INTO users (id, email, email_verified, is_private_email, verified_email, created_at)
      VALUES (?, ?, 1, 0, ?, 0)
      """,
      [.text("regular-\(verifiedEmail)"), .text(verifiedEmail), .text(EmailAddress.key(verifiedEmail))])
  }

  func addMembership(_ user: String, app: Int64) async throws {
    try await run(
      "INSERT INTO memberships (user_id, app, created_at, signed_in_at) VALUES (?, ?, 0, 0)",
      [.text(user), .integer(app)])
  }
}

func withAccounts(_ engine: StoreEngine, _ body: (AccountFixture) async throws -> Void) async throws {
  if let reason = engine.reasonToSkip { try Test.cancel("\(reason)") }
  try await withStore(engine, IdentitySchema.migrations) { store, database in
    try await body(AccountFixture(store: store, database: database))
  }
}

/// What Apple's plugin would have proven; a token and a nonce of their own unless `token` says otherwise.
func identity(
  app: Int64 = 1, issuer: String = "apple", team: String? = nil, subject: String = "000001.0a0a0a0a.0001",
  email: String? = "ada@example.org", emailVerified: Bool = true, isPrivateEmail: Bool = false, fullName: String? = nil,
  token: [UInt8]? = nil, followUp: [UInt8]? = nil, isShared: Bool = false, photo: String? = nil
) -> VerifiedSignIn {
  var generator = SystemRandomNumberGenerator()
  let expiresAt = UnixTime(seconds: 1_780_086_400)
  return VerifiedSignIn(
    app: app, issuer: issuer, team: team, subject: subject, email: email, emailVerified: emailVerified,
    isPrivateEmail: isPrivateEmail, fullName: fullName,
    replayKeys: [
      ReplayKey(digest: token ?? generator.bytes(32), expiresAt: expiresAt),
      ReplayKey(digest: generator.bytes(32), expiresAt: expiresAt),
    ], provider: "apple", client: "com.example.alpha", followUp: followUp, isShared: isShared, photo: photo)
}

extension SignIn {
  var account: Account { profile.account }
}
