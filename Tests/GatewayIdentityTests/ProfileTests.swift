import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite struct ProfileTests {
  @Test("B41 an account without a name has none, and never its address", arguments: StoreEngine.allCases)
  func noName(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      for name in [nil, "", " \u{0} "] as [String?] {
        let account = try await fixture.accounts().signIn(identity(fullName: name)).account
        #expect(account.name == nil && account.email == "ada@example.org")
      }
    }
  }

  @Test("B46 B47 B49 a name comes back from the store as it was cleaned", arguments: StoreEngine.allCases)
  func names(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let names = [
        "Zoë 🚲 ✨ Ω", "<script>alert(1)</script>", String(repeating: "é", count: 5000),
        String(repeating: "👩‍👩‍👧‍👦", count: 200), "👩" + String(repeating: "\u{200D}👩", count: 600),
      ]
      for (index, name) in names.enumerated() {
        let made = try await fixture.accounts().signIn(identity(subject: "\(index)", fullName: name)).account
        let found = try await fixture.accounts().profile(user: made.id, app: 1)
        #expect(found?.account.name == DisplayName.cleaned(name))
      }
    }
  }

  @Test("a name is kept only where there is none", arguments: StoreEngine.allCases)
  func firstNameStays(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      var seen: [String?] = []
      for name in [nil, "Ada", "Eve", nil] as [String?] {
        seen.append(try await fixture.accounts().signIn(identity(fullName: name)).account.name)
      }
      #expect(seen == [nil, "Ada", "Ada", "Ada"])
    }
  }

  @Test("B35 an address is what the last token with one said", arguments: StoreEngine.allCases)
  func emails(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      var seen: [String?] = []
      for email in [nil, "", "ada@example.org", nil, "", "new@example.org"] as [String?] {
        let account = try await fixture.accounts().signIn(identity(email: email)).account
        seen.append(account.email)
        let stored = try await fixture.accounts().profile(user: account.id, app: 1)?.account
        #expect(stored == account)
      }
      #expect(seen == [nil, nil, "ada@example.org", "ada@example.org", "ada@example.org", "new@example.org"])
    }
  }

  @Test("a token without an address changes nothing of what was verified", arguments: StoreEngine.allCases)
  func verifiedStays(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      _ = try await fixture.accounts().signIn(identity())
      let later = try await fixture.accounts().signIn(identity(email: nil, emailVerified: false)).account
      #expect(later.email == "ada@example.org" && later.emailVerified)
      let unverified = try await fixture.accounts().signIn(identity(emailVerified: false)).account
      #expect(unverified.email == "ada@example.org" && !unverified.emailVerified)
    }
  }

  @Test("B50 a relay address is an address", arguments: StoreEngine.allCases)
  func relayAddress(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let relay = "x1@privaterelay.appleid.com"
      let signIn = try await fixture.accounts().signIn(identity(email: relay, isPrivateEmail: true))
      #expect(signIn.account.email == relay && signIn.account.isPrivateEmail)
    }
  }

  @Test(
    "B73 a regular account with the same verified address is suggested, whatever its case",
    arguments: StoreEngine.allCases)
  func suggestion(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let before = try await fixture.accounts().signIn(identity())
      try await fixture.addRegularAccount(verifiedEmail: "ADA@Example.org")
      let after = try await fixture.accounts().signIn(identity())
      let otherCase = try await fixture.accounts().signIn(identity(subject: "2", email: "Ada@EXAMPLE.ORG"))
      #expect(!before.profile.suggestsLinking)
      #expect(after.profile.suggestsLinking && otherCase.profile.suggestsLinking)
      let me = try await fixture.accounts().profile(user: after.account.id, app: 1)
      #expect(me == after.profile)
    }
  }

  @Test(
    "B34 B74 no suggestion from an address that is unverified, a relay, another's or none",
    arguments: StoreEngine.allCases)
  func noSuggestion(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      for address in ["ada@example.org", "x1@privaterelay.appleid.com"] {
        try await fixture.addRegularAccount(verifiedEmail: address)
      }
      let identities = [
        identity(subject: "1", emailVerified: false),
        identity(subject: "2", email: "x1@privaterelay.appleid.com", isPrivateEmail: true),
        identity(subject: "3", email: "eve@example.org"), identity(subject: "4", email: nil),
      ]
      for identity in identities {
        let signIn = try await fixture.accounts().signIn(identity)
        #expect(!signIn.profile.suggestsLinking)
      }
    }
  }

  @Test("an app does not see another app's accounts", arguments: StoreEngine.allCases)
  func otherApp(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let account = try await fixture.accounts().signIn(identity(app: 1)).account
      let other = try await fixture.accounts().profile(user: account.id, app: 2)
      let unknown = try await fixture.accounts().profile(user: "nobody", app: 1)
      #expect(other == nil && unknown == nil)
    }
  }

  @Test("the answers are the contract's JSON")
  func bodies() {
    var account = Account(
      id: "u1", app: 1, name: "Jane \"J\" Doe", email: "jane@example.com", emailVerified: true, isPrivateEmail: false)
    let expiry = UnixTime(seconds: 1_796_635_800)
    let profile = Profile(account: account, appUserUUID: "3d4c5b2d-0000-5000-8000-000000000000", suggestsLinking: true)
    #expect(
      String(decoding: profile.signInBody(token: "T", expiresAt: expiry, isNewAccount: true), as: UTF8.self) == """
        {"token":"T","expiresAt":"2026-12-07T09:30:00Z","user":{"id":"u1","name":"Jane \\"J\\" Doe",\
        "email":"jane@example.com","photo":null},"role":"app-user",\
        "appUserUUID":"3d4c5b2d-0000-5000-8000-000000000000","isNewAccount":true,"isLocalUser":true,\
        "linkSuggestion":"matching_email"}
        """)
    account.name = nil
    account.email = nil
    let plain = Profile(account: account, appUserUUID: "U", suggestsLinking: false)
    #expect(
      String(decoding: plain.meBody(expiresAt: expiry, balance: 0), as: UTF8.self) == """
        {"expiresAt":"2026-12-07T09:30:00Z","user":{"id":"u1","name":null,"email":null,"photo":null},\
        "role":"app-user","appUserUUID":"U","isNewAccount":false,"isLocalUser":true,"balance":0}
        """)
  }
}
