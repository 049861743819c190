import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Users who move to another team") struct TransferTests {
  private func transferred(subject: String, team: String, transferID: String?) -> VerifiedSignIn {
    let plain = identity(team: team, subject: subject)
    return VerifiedSignIn(
      app: 1, issuer: "apple", team: team, subject: subject, email: "other@example.org", emailVerified: true,
      isPrivateEmail: true, fullName: nil, replayKeys: plain.replayKeys, provider: "apple", transferID: transferID)
  }

  @Test(
    "B119 the new subject finds its account, else the transfer id does, for sixty days; an address never",
    arguments: StoreEngine.allCases)
  func finds(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity(team: "OLD")).account.id
      let transfer = IdentityTransfer(store: fixture.store, clock: fixture.clock, app: 1)
      let pending = try #require(try await transfer.toGive(team: "OLD", after: "", limit: 10).first)
      try await transfer.given(pending, transferID: "t1")
      #expect(try await transfer.toGive(team: "OLD", after: "", limit: 10).isEmpty)
      let stranger = try await accounts.signIn(transferred(subject: "x", team: "NEW", transferID: "t2"))
      #expect(stranger.isNewAccount)
      let moved = try await accounts.signIn(transferred(subject: "new", team: "NEW", transferID: "t1"))
      #expect(moved.account.id == user && !moved.isNewAccount)
      let again = try await accounts.signIn(transferred(subject: "new", team: "NEW", transferID: nil))
      #expect(again.account.id == user)
      #expect(try await transfer.toTake(newTeam: "NEW", after: "", limit: 10).isEmpty)
    }
  }

  @Test("after sixty days a transfer id is nobody's, and is asked for again")
  func expires() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      _ = try await accounts.signIn(identity(team: "OLD"))
      let transfer = IdentityTransfer(store: fixture.store, clock: fixture.clock, app: 1)
      let pending = try #require(try await transfer.toGive(team: "OLD", after: "", limit: 10).first)
      try await transfer.given(pending, transferID: "t1")
      fixture.clock.advance(seconds: Limits.transferLifetime)
      #expect(try await accounts.signIn(transferred(subject: "new", team: "NEW", transferID: "t1")).isNewAccount)
      #expect(try await transfer.toGive(team: "OLD", after: "", limit: 10).count == 1)
    }
  }

  @Test("who has signed in to the new team as another account is passed over")
  func taken() async throws {
    try await withAccounts(.sqlite) { fixture in
      let accounts = fixture.accounts()
      let user = try await accounts.signIn(identity(team: "OLD")).account.id
      _ = try await accounts.signIn(transferred(subject: "new", team: "NEW", transferID: nil))
      let transfer = IdentityTransfer(store: fixture.store, clock: fixture.clock, app: 1)
      try await transfer.given(
        try #require(try await transfer.toGive(team: "OLD", after: "", limit: 1).first), transferID: "t1")
      let pending = try #require(try await transfer.toTake(newTeam: "NEW", after: "", limit: 1).first)
      await #expect(throws: StoreError.self) {
        try await transfer.taken(pending, team: "NEW", subject: "new", email: nil, isPrivateEmail: false)
      }
      try await transfer.taken(
        pending, team: "NEW", subject: "free", email: "r@privaterelay.appleid.com", isPrivateEmail: true)
      #expect(try await accounts.profile(user: user, app: 1)?.account.email == "r@privaterelay.appleid.com")
    }
  }
}
