import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite struct SignInTests {
  @Test("the first sign-in makes an account, later ones find it", arguments: StoreEngine.allCases)
  func findsAgain(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let first = try await fixture.accounts().signIn(identity())
      let second = try await fixture.accounts(on: fixture.database.open(IdentitySchema.migrations)).signIn(identity())
      #expect(first.isNewAccount && !second.isNewAccount)
      #expect(first.account == second.account)
      #expect(first.account.isLocal && first.account.app == 1)
      #expect(first.profile.appUserUUID == "uuid-of-1-\(first.account.id)")
    }
  }

  @Test(
    "app, team, provider and subject each make another account, and the address does not",
    arguments: StoreEngine.allCases)
  func identityKey(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let identities = [
        identity(), identity(app: 2), identity(team: "TEAM1"), identity(team: "TEAM2"), identity(issuer: "other"),
        identity(subject: "other"), identity(subject: "OTHER"), identity(subject: "other "),
      ]
      var ids: Set<String> = []
      for identity in identities { ids.insert(try await fixture.accounts().signIn(identity).account.id) }
      #expect(ids.count == identities.count)
    }
  }

  @Test("B7 a token is accepted once, and its nonce too", arguments: StoreEngine.allCases)
  func replay(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let first = identity()
      _ = try await accounts.signIn(first)
      await #expect(throws: SignInFailure.replayed) { try await accounts.signIn(first) }
      let sameNonce = VerifiedSignIn(
        app: 1, issuer: "apple", team: nil, subject: "other", email: nil, emailVerified: false, isPrivateEmail: false,
        fullName: nil,
        replayKeys: [
          ReplayKey(digest: [UInt8](repeating: 7, count: 32), expiresAt: fixture.clock.now), first.replayKeys[1],
        ], provider: "apple")
      await #expect(throws: SignInFailure.replayed) { try await accounts.signIn(sameNonce) }
      // The refused attempt burnt nothing and left no account.
      let burnt = try await fixture.count("SELECT COUNT(*) FROM burnt_credentials")
      let users = try await fixture.count("SELECT COUNT(*) FROM users")
      #expect(burnt == 2 && users == 1)
    }
  }

  @Test("B7 of twenty posts of one token at once exactly one is accepted", arguments: StoreEngine.allCases)
  func replayAtOnce(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let token = identity()
      let outcomes = try await atOnce(fixture) { _ in token }
      #expect(outcomes.compactMap(\.self).count == 1)
    }
  }

  @Test(
    "B77 B78 of twenty first sign-ins at once one makes the account, and all get it", arguments: StoreEngine.allCases)
  func firstAtOnce(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let outcomes = try await atOnce(fixture) { _ in identity() }.compactMap(\.self)
      #expect(outcomes.count == 20)
      #expect(outcomes.filter(\.isNewAccount).count == 1)
      #expect(Set(outcomes.map(\.account.id)).count == 1)
      let users = try await fixture.count("SELECT COUNT(*) FROM users")
      let orphans = try await fixture.count(
        "SELECT COUNT(*) FROM users WHERE id NOT IN (SELECT user_id FROM identities)")
      #expect(users == 1 && orphans == 0)
    }
  }

  @Test("B79 signing in again after a crowd of first sign-ins works", arguments: StoreEngine.allCases)
  func afterTheCrowd(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let crowd = try await atOnce(fixture) { _ in identity() }.compactMap(\.self)
      let again = try await fixture.accounts().signIn(identity())
      #expect(!again.isNewAccount && again.account.id == crowd.first?.account.id)
    }
  }

  /// Twenty sign-ins from two nodes; nil for a replay.
  private func atOnce(
    _ fixture: AccountFixture, _ identity: @escaping @Sendable (Int) -> VerifiedSignIn
  ) async throws -> [SignIn?] {
    let nodes = [fixture.accounts(), fixture.accounts(on: fixture.database.open(IdentitySchema.migrations))]
    // A node's first use migrates, and others of it at that moment are told to come back.
    for node in nodes { _ = try await node.profile(user: "none", app: 1) }
    return try await withThrowingTaskGroup(of: SignIn?.self) { group in
      for index in 0..<20 {
        group.addTask {
          do {
            return try await nodes[index % 2].signIn(identity(index))
          } catch SignInFailure.replayed {
            return nil
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("a subject that is empty or over 255 bytes is refused", arguments: ["", String(repeating: "é", count: 128)])
  func subjects(_ subject: String) async throws {
    try await withAccounts(.sqlite) { fixture in
      await #expect(throws: SignInFailure.unusableSubject) {
        try await fixture.accounts().signIn(identity(subject: subject))
      }
    }
  }

  @Test("a store that can't be reached is 503 with Retry-After")
  func storeDown() async throws {
    let url = try StoreAddress("mariadb://u@127.0.0.1:1/d")
    let store = url.open(migrations: IdentitySchema.migrations, logger: Logger(level: .error))
    let accounts = Accounts(
      store: store, keys: SealingKeys(.generate()), revocations: RevocationSet(), clock: TestClock(),
      logger: Logger(level: .error)
    ) { _, _ in "" }
    await #expect(throws: Refusal.storeUnavailable) { try await accounts.signIn(identity()) }
    await #expect(throws: Refusal.storeUnavailable) { try await accounts.profile(user: "a", app: 1) }
    #expect(Refusal.storeUnavailable.status == 503 && Refusal.storeUnavailable.retryAfter != nil)
  }
}
