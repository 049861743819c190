import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Notices of providers") struct NoticeTests {
  private func notice(
    _ kind: VerifiedNotice.Event.Kind, _ fixture: AccountFixture, subject: String = "000001.0a0a0a0a.0001",
    after seconds: Int64 = 1, key: UInt8 = 1
  ) -> VerifiedNotice {
    notice([event(kind, fixture, subject: subject, after: seconds)], key: key)
  }

  private func notice(_ events: [VerifiedNotice.Event], key: UInt8 = 1) -> VerifiedNotice {
    VerifiedNotice(
      app: 1,
      replayKey: ReplayKey(digest: [UInt8](repeating: key, count: 32), expiresAt: UnixTime(seconds: 1_790_000_000)),
      events: events)
  }

  private func event(
    _ kind: VerifiedNotice.Event.Kind, _ fixture: AccountFixture, subject: String = "000001.0a0a0a0a.0001",
    after seconds: Int64
  ) -> VerifiedNotice.Event {
    VerifiedNotice.Event(
      kind, issuer: "apple", team: nil, subject: subject, time: fixture.clock.now.adding(seconds: seconds))
  }

  private func isRevoked(_ fixture: AccountFixture, _ user: String) -> Bool {
    fixture.known.isRevoked(jti: "x", user: user, app: 1, issuedAt: fixture.clock.now)
  }

  @Test(
    "a withdrawn consent ends the sessions and forgets the grants; the account stays", arguments: StoreEngine.allCases)
  func consent(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity()).account.id
      let effects = try await accounts.apply(notice(.consentWithdrawn, fixture), from: .none)
      #expect(effects == [VerifiedNotice.Effect(user: user, kind: "consent-withdrawn")])
      #expect(isRevoked(fixture, user))
      #expect(try await accounts.profile(user: user, app: 1) != nil)
      fixture.clock.advance(seconds: 2)
      #expect(try await !accounts.signIn(identity()).isNewAccount)
      #expect(!isRevoked(fixture, user))
    }
  }

  @Test("a deleted account at the provider is deleted here", arguments: StoreEngine.allCases)
  func deleted(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity()).account.id
      let other = try await accounts.signIn(identity(subject: "other")).account.id
      _ = try await accounts.apply(notice(.accountDeleted, fixture), from: .none)
      #expect(try await accounts.profile(user: user, app: 1) == nil && isRevoked(fixture, user))
      #expect(try await accounts.profile(user: other, app: 1) != nil && !isRevoked(fixture, other))
    }
  }

  @Test("B102 a repeat does nothing, on another node too, and twenty at once act once", arguments: StoreEngine.allCases)
  func repeats(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let user = try await fixture.accounts().signIn(identity()).account.id
      let notice = notice(.consentWithdrawn, fixture)
      let nodes = (0..<2).map { _ in fixture.accounts(on: fixture.database.open(IdentitySchema.migrations)) }
      let effects = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<20 { group.addTask { try await nodes[index % 2].apply(notice, from: .none).count } }
        return try await group.reduce(0, +)
      }
      #expect(effects == 1)
      #expect(try await fixture.count("SELECT COUNT(*) FROM audit WHERE act = 'notice' AND user_id = '\(user)'") == 1)
    }
  }

  @Test(
    "B103 what happened before the last sign-in has no effect",
    arguments: ["consentWithdrawn", "accountDeleted", "emailDisabled"])
  func stale(kind: String) async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity()).account.id
      let kinds: [String: VerifiedNotice.Event.Kind] = [
        "consentWithdrawn": .consentWithdrawn, "accountDeleted": .accountDeleted, "emailDisabled": .emailDisabled,
      ]
      let kind = try #require(kinds[kind])
      #expect(try await accounts.apply(notice(kind, fixture, after: -86_400), from: .none).isEmpty)
      #expect(try await accounts.profile(user: user, app: 1) != nil && !isRevoked(fixture, user))
    }
  }

  @Test(
    "the state of a relay address is that of the latest event, in whatever order they come",
    arguments: StoreEngine.allCases)
  func email(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      _ = try await accounts.signIn(identity())
      func state() async throws -> Int64? { try await fixture.count("SELECT email_disabled FROM identities") }
      _ = try await accounts.apply(notice(.emailDisabled, fixture, after: 20, key: 1), from: .none)
      #expect(try await state() == 1)
      _ = try await accounts.apply(notice(.emailEnabled, fixture, after: 10, key: 2), from: .none)
      #expect(try await state() == 1, "it is older")
      let both = [event(.emailDisabled, fixture, after: 40), event(.emailEnabled, fixture, after: 30)]
      _ = try await accounts.apply(notice(both, key: 3), from: .none)
      #expect(try await state() == 1, "they are taken in the order of time")
      _ = try await accounts.apply(notice(.emailEnabled, fixture, after: 50, key: 4), from: .none)
      #expect(try await state() == 0)
    }
  }

  @Test("a user whom nobody here knows, or one of another app, changes nothing")
  func unknown() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity(app: 2)).account.id
      #expect(try await accounts.apply(notice(.accountDeleted, fixture), from: .none).isEmpty)
      #expect(try await accounts.profile(user: user, app: 2) != nil)
    }
  }
}
