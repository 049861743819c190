import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Deletion") struct DeletionTests {
  private func followUp(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Signs in and keeps a grant, as after an exchange.
  private func signInWithGrant(
    _ fixture: AccountFixture, _ accounts: Accounts, secret: String = "grant", subject: String = "000001.0a0a0a0a.0001"
  ) async throws -> String {
    let user = try await accounts.signIn(identity(subject: subject, followUp: followUp("code"))).account.id
    let job = try #require(try await fixture.jobs.claim(10).first { $0.user == user })
    try await fixture.jobs.finish(
      job, keeping: ProviderJob.Draft(.release, provider: "apple", client: "c", secret: Array(secret.utf8)))
    return user
  }

  @Test(
    "B83 an app's account goes with all that it has, and the same person comes back new",
    arguments: StoreEngine.allCases)
  func local(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await signInWithGrant(fixture, accounts)
      let other = try await accounts.signIn(identity(subject: "other")).account.id
      #expect(try await accounts.delete(user: user, app: 1, by: .user))
      for table in ["users WHERE id", "identities WHERE user_id", "grants WHERE user_id"] {
        #expect(try await fixture.count("SELECT COUNT(*) FROM \(table) = '\(user)'") == 0, "\(table)")
      }
      #expect(try await fixture.count("SELECT COUNT(*) FROM users WHERE id = '\(other)'") == 1)
      #expect(try await accounts.profile(user: user, app: 1) == nil)
      let again = try await accounts.signIn(identity())
      #expect(again.isNewAccount && again.account.id != user && again.account.name == nil)
      #expect(try await !accounts.delete(user: user, app: 1, by: .user), "it is deleted once")
    }
  }

  @Test(
    "B81 all of the user's tokens in the app end at once, also one that is issued afterwards",
    arguments: StoreEngine.allCases)
  func tokens(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity()).account.id
      #expect(try await accounts.delete(user: user, app: 1, by: .user))
      let other = Revocations(store: fixture.store, clock: fixture.clock, logger: fixture.logger)
      try await other.poll()
      for set in [fixture.known, other.known] {
        for offset in [-100, 0, 100] as [Int64] {
          #expect(set.isRevoked(jti: "x", user: user, app: 1, issuedAt: fixture.clock.now.adding(seconds: offset)))
        }
        #expect(!set.isRevoked(jti: "x", user: user, app: 2, issuedAt: fixture.clock.now))
        #expect(!set.isRevoked(jti: "x", user: "other", app: 1, issuedAt: fixture.clock.now))
      }
    }
  }

  @Test("a regular account only loses the app", arguments: StoreEngine.allCases)
  func regular(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      try await fixture.addRegularAccount(verifiedEmail: "ada@example.org")
      let user = "regular-ada@example.org"
      for app in 1...2 {
        try await fixture.run(
          "INSERT INTO identities (app, team, issuer, subject, user_id, created_at) VALUES (?, '', 'speed', 's', ?, 0)",
          [.integer(Int64(app)), .text(user)])
        try await fixture.addMembership(user, app: Int64(app))
      }
      #expect(try await fixture.accounts().delete(user: user, app: 1, by: .user))
      #expect(try await fixture.count("SELECT COUNT(*) FROM users WHERE id = '\(user)'") == 1)
      #expect(try await fixture.count("SELECT COUNT(*) FROM identities WHERE user_id = '\(user)'") == 1)
      let now = fixture.clock.now
      #expect(fixture.known.isRevoked(jti: "x", user: user, app: 1, issuedAt: now))
      #expect(!fixture.known.isRevoked(jti: "x", user: user, app: 2, issuedAt: now))
      // The person may come back to the app.
      #expect(!fixture.known.isRevoked(jti: "x", user: user, app: 1, issuedAt: now.adding(seconds: 1)))
      #expect(try await fixture.accounts().profile(user: user, app: 1) == nil)
      #expect(try await fixture.accounts().profile(user: user, app: 2) != nil)
      #expect(try await !fixture.accounts().delete(user: user, app: 1, by: .user), "it has the app no more")
    }
  }

  @Test(
    "B85 B89 each grant becomes one release, bound to what it was; without a grant there is none",
    arguments: StoreEngine.allCases)
  func releases(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await signInWithGrant(fixture, accounts)
      let bare = try await accounts.signIn(identity(subject: "bare")).account.id
      #expect(try await accounts.delete(user: user, app: 1, by: .user))
      #expect(try await accounts.delete(user: bare, app: 1, by: .user))
      let work = try await fixture.jobs.claim(10)
      #expect(work.map(\.user) == [user] && work.map(\.kind) == [.release])
      #expect(work.first?.client == "c")
      #expect(work.first?.secret(fixture.keys) == Array("grant".utf8))
    }
  }

  @Test(
    "work that is begun at once is durable, is nobody else's meanwhile, and others' when its lease is over",
    arguments: StoreEngine.allCases)
  func begun(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let user = try await fixture.accounts().signIn(identity()).account.id
      let draft = ProviderJob.Draft(.followUp, provider: "apple", secret: followUp("code"))
      let job = try #require(try await fixture.jobs.begin(draft, user: user, app: 1))
      #expect(job.secret(fixture.keys) == followUp("code") && job.attempts == 1)
      let other = try await fixture.jobs.begin(draft, user: user, app: 1)
      #expect(other != nil && other?.id != job.id)
      #expect(try await fixture.jobs.claim(10).isEmpty)
      fixture.clock.advance(seconds: Limits.jobLease / 1000)
      #expect(try await fixture.jobs.claim(10).map(\.attempts) == [2, 2])
      let long = ProviderJob.Draft(
        .followUp, provider: "apple", secret: [UInt8](repeating: 0, count: Limits.providerSecret + 1))
      #expect(try await fixture.jobs.begin(long, user: user, app: 1) == nil)
    }
  }

  @Test("what a code brings is the account's until the deletion, and is released when it comes after it")
  func besides() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity()).account.id
      let draft = ProviderJob.Draft(.followUp, provider: "apple", secret: followUp("code"))
      let grant = ProviderJob.Draft(.release, provider: "apple", client: "c", secret: [5])
      try await fixture.jobs.finish(
        try #require(try await fixture.jobs.begin(draft, user: user, app: 1)), keeping: grant)
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants WHERE user_id = '\(user)'") == 1)
      let late = try #require(try await fixture.jobs.begin(draft, user: user, app: 1))
      #expect(try await accounts.delete(user: user, app: 1, by: .user))
      #expect(try await fixture.jobs.claim(10).map { $0.secret(fixture.keys) } == [[5]])
      // The account is gone when the exchange succeeds: the grant is released.
      try await fixture.jobs.finish(
        late, keeping: ProviderJob.Draft(.release, provider: "apple", client: "c", secret: [7]))
      let release = try await fixture.jobs.claim(10)
      #expect(release.map(\.kind) == [.release] && release.first?.secret(fixture.keys) == [7])
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants") == 0)
    }
  }

  @Test("what is noted of a deleted account stays, without an address", arguments: StoreEngine.allCases)
  func addresses(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let origin = AuditEntry.Origin(address: .v4(0xC000_0201), requestID: "r-1")
      var users: [String] = []
      for subject in ["s1", "s2"] { users.append(try await accounts.signIn(identity(subject: subject)).account.id) }
      for user in users {
        let now = fixture.clock.now
        try await fixture.store.write {
          try AuditEntry(.signIn, app: 1, user: user, by: .user, from: origin).insert(at: now, on: $0)
          try AuditEntry(.signIn, app: 2, user: user, by: .user, from: origin).insert(at: now, on: $0)
        }
      }
      #expect(try await accounts.delete(user: users[0], app: 1, by: .user, from: origin))
      func addresses(_ user: String, app: Int64) async throws -> [String?] {
        try await fixture.store.read {
          try $0.query(
            "SELECT address FROM audit WHERE user_id = ? AND app = ? ORDER BY seq", [.text(user), .integer(app)]
          )
          .map { try $0.optionalText(0) }
        }
      }
      #expect(try await addresses(users[0], app: 1) == [nil, nil, nil])
      #expect(try await addresses(users[0], app: 2) == ["192.0.2.1"])
      #expect(try await addresses(users[1], app: 1) == [nil, "192.0.2.1"])
    }
  }

  @Test("B81 a sign-in whose account is deleted while it is under way gives no session")
  func race() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      _ = try await accounts.signIn(identity())
      try await fixture.run(
        """
        CREATE TRIGGER race AFTER INSERT ON burnt_credentials BEGIN
          DELETE FROM identities; DELETE FROM users;
        END
        """)
      await #expect(throws: Refusal.storeUnavailable) { try await accounts.signIn(identity()) }
      #expect(try await fixture.count("SELECT COUNT(*) FROM burnt_credentials") == 2, "it can be tried again")
    }
  }

  @Test("each act leaves a row that names ids of the gateway alone")
  func audit() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      let user = try await signInWithGrant(fixture, accounts)
      #expect(try await accounts.delete(user: user, app: 1, by: .admin))
      for job in try await fixture.jobs.claim(10) { try await fixture.jobs.finish(job) }
      let rows = try await fixture.store.read {
        try $0.query("SELECT act, actor FROM audit WHERE user_id = ? ORDER BY seq", [.text(user)])
      }
      #expect(try rows.map { try $0.text(0) + " " + $0.text(1) } == ["sign-in user", "delete admin", "revoke gateway"])
    }
  }
}
