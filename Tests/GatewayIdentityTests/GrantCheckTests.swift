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
