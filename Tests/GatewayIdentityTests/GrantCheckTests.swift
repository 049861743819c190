import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Daily checks of grants") struct GrantCheckTests {
  private func checks(_ fixture: AccountFixture) -> GrantChecks {
    GrantChecks(store: fixture.store, keys: fixture.keys, revocations: fixture.known, clock: fixture.clock)
  }

  /// Signs in and keeps a grant, as after an exchange.
  private func signIn(_ fixture: AccountFixture, secret: String = "grant") async throws -> String {
    let user = try await fixture.accounts().signIn(identity(followUp: [1])).account.id
    let job = try #require(try await fixture.jobs.claim(10).first { $0.kind == .followUp })
    try await fixture.jobs.finish(
      job, keeping: ProviderJob.Draft(.release, provider: "apple", client: "c", secret: Array(secret.utf8)))
    return user
  }

  @Test("a grant that moves to another account while it is looked at is that one's", arguments: StoreEngine.allCases)
  func merged(_ engine: StoreEngine) async throws {
    for isWithdrawn in [false, true] {
      try await withScene(engine) { scene in
        let checks = checks(scene.fixture)
        let local = try await signIn(scene.fixture)
        scene.fixture.clock.advance(seconds: Limits.grantCheck)
        let due = try #require(try await checks.claim(10).first)
        let speed = try await scene.link(local, try await scene.speedToken(), keep: .speed).account.id
        let now = scene.fixture.clock.now
        if isWithdrawn {
          #expect(try await checks.withdraw(due))
          #expect(scene.fixture.known.isRevoked(jti: "x", user: speed, app: 1, issuedAt: now))
        } else {
          // Another key is in use by now, and so it would be sealed anew, for the account that is no more.
          let later = GrantChecks(
            store: scene.fixture.store, keys: SealingKeys(.generate()), revocations: scene.fixture.known,
            clock: scene.fixture.clock)
          try await later.stands(due, secret: Array("grant".utf8))
          #expect(try await scene.accounts.delete(user: speed, app: 1, by: .user))
          let release = try #require(try await scene.fixture.jobs.claim(10).first)
          #expect(release.secret(scene.fixture.keys) == Array("grant".utf8))
        }
      }
    }
  }

  @Test(
    "a grant's turn comes a day after it was made, once for all nodes, and a day after that",
    arguments: StoreEngine.allCases)
  func turns(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let checks = checks(fixture)
      let user = try await signIn(fixture)
      fixture.clock.advance(seconds: Limits.grantCheck - 1)
      #expect(try await checks.claim(10).isEmpty)
      for _ in 0..<2 {
        fixture.clock.advance(seconds: Limits.grantCheck)
        let due = try await checks.claim(10)
        #expect(due.map(\.user) == [user])
        let secret = due.first.flatMap { checks.secret(of: $0) }
        #expect(secret == Array("grant".utf8))
        #expect(try await checks.claim(10).isEmpty)
      }
    }
  }

  @Test(
    "a grant that was withdrawn ends the sessions and is forgotten; the account stays", arguments: StoreEngine.allCases)
  func withdrawn(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let user = try await signIn(fixture)
      fixture.clock.advance(seconds: 2 * Limits.grantCheck)
      let due = try #require(try await checks(fixture).claim(10).first)
      #expect(try await checks(fixture).withdraw(due))
      #expect(fixture.known.isRevoked(jti: "x", user: user, app: 1, issuedAt: fixture.clock.now))
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants") == 0)
      #expect(try await fixture.accounts().profile(user: user, app: 1) != nil)
      #expect(try await !checks(fixture).withdraw(due), "once")
    }
  }

  @Test("a grant that took its place meanwhile stays, and so do its sessions", arguments: StoreEngine.allCases)
  func later(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let user = try await signIn(fixture)
      fixture.clock.advance(seconds: 2 * Limits.grantCheck)
      let due = try #require(try await checks(fixture).claim(10).first)
      _ = try await signIn(fixture, secret: "later")
      #expect(try await !checks(fixture).withdraw(due))
      #expect(!fixture.known.isRevoked(jti: "x", user: user, app: 1, issuedAt: fixture.clock.now))
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants") == 1)
    }
  }
}
