import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Refresh tokens") struct RefreshTokenTests {
  private func tokens(_ fixture: AccountFixture) -> RefreshTokens {
    RefreshTokens(store: fixture.store, revocations: fixture.known, clock: fixture.clock, logger: fixture.logger)
  }

  private func companion(_ id: String, _ fixture: AccountFixture) -> RefreshTokens.Companion {
    RefreshTokens.Companion(
      AccessToken(
        issuer: "i", userID: "u", appID: 1, issuedAt: fixture.clock.now,
        expiresAt: fixture.clock.now.adding(seconds: 900),
        id: id, role: "r", isLocal: true, uuid: "x", keyID: "k"))
  }

  private let owner = RefreshTokens.Owner(user: "u", app: 1)

  private func isRevoked(_ id: String, _ fixture: AccountFixture) -> Bool {
    fixture.known.isRevoked(jti: id, user: "u", app: 1, issuedAt: fixture.clock.now)
  }

  @Test("each brings its successor", arguments: StoreEngine.allCases)
  func rotates(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let tokens = tokens(fixture)
      var token = try await tokens.begin(owner, with: companion("j0", fixture))
      for index in 1...3 {
        #expect(try await tokens.owner(of: token) == owner)
        token = try #require(try await tokens.rotate(token, with: companion("j\(index)", fixture)))
      }
      #expect(!isRevoked("j0", fixture))
      let columns = try await fixture.store.read { try $0.query("SELECT * FROM refresh_tokens", []) }
      #expect(!"\(columns)".contains(token), "digests alone are kept")
    }
  }

  @Test("a second use ends the whole family, its access tokens included, and no other", arguments: StoreEngine.allCases)
  func reuse(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let tokens = tokens(fixture)
      let first = try await tokens.begin(owner, with: companion("j0", fixture))
      let other = try await tokens.begin(owner, with: companion("k0", fixture))
      let second = try #require(try await tokens.rotate(first, with: companion("j1", fixture)))
      #expect(try await tokens.rotate(first, with: companion("j2", fixture)) == nil)
      #expect(try await tokens.rotate(second, with: companion("j3", fixture)) == nil)
      #expect(isRevoked("j0", fixture) && isRevoked("j1", fixture))
      #expect(!isRevoked("k0", fixture))
      #expect(try await tokens.rotate(other, with: companion("k1", fixture)) != nil)
    }
  }

  @Test("of twenty uses at once one wins, and the family ends", arguments: StoreEngine.allCases)
  func race(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let tokens = tokens(fixture)
      let first = try await tokens.begin(owner, with: companion("j", fixture))
      let companion = companion("k", fixture)
      let won = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 { group.addTask { try await tokens.rotate(first, with: companion) } }
        return try await group.reduce(into: []) { if let next = $1 { $0.append(next) } }
      }
      #expect(won.count == 1)
      #expect(try await fixture.count("SELECT COUNT(*) FROM refresh_tokens") == 0)
    }
  }

  @Test("sign-out ends the family, a deletion all of the user's, and time each of them")
  func ends() async throws {
    try await withAccounts(.sqlite) { fixture in
      let tokens = tokens(fixture)
      let first = try await tokens.begin(owner, with: companion("j0", fixture))
      let second = try #require(try await tokens.rotate(first, with: companion("j1", fixture)))
      try await tokens.end(companionOf: "j1")
      for token in [first, second] { #expect(try await tokens.owner(of: token) == nil) }
      let user = try await fixture.accounts().signIn(identity()).account.id
      let third = try await tokens.begin(RefreshTokens.Owner(user: user, app: 1), with: companion("j2", fixture))
      #expect(try await fixture.accounts().delete(user: user, app: 1, by: .user))
      #expect(try await tokens.owner(of: third) == nil)
      let fourth = try await tokens.begin(owner, with: companion("j3", fixture))
      fixture.clock.advance(seconds: Limits.refreshLifetime)
      #expect(try await tokens.owner(of: fourth) == nil)
      #expect(try await tokens.rotate(fourth, with: companion("j4", fixture)) == nil)
    }
  }
}
