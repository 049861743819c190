import GatewayBase
import GatewayCrypto
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Codes that stand for a sign-in's answer") struct SignInCodeTests {
  private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  /// RFC 7636, appendix B.
  private let challenge = CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

  private let grant = SignInCodes.Grant(app: 7, user: "u", provider: "p", isNewAccount: true, isLinking: false)

  private func codes(_ fixture: AccountFixture) -> SignInCodes {
    SignInCodes(store: fixture.store, clock: fixture.clock, logger: fixture.logger)
  }

  @Test("a verifier is met by its own digest alone, and has 43 to 128 unreserved characters")
  func challenges() throws {
    let challenge = try #require(challenge)
    #expect(challenge.isMet(by: verifier))
    #expect(challenge.text == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    for wrong in [
      "", "x", String(verifier.dropLast()), verifier + "=", verifier.uppercased(), challenge.text,
    ] {
      #expect(!challenge.isMet(by: wrong))
    }
    for (verifier, isGood) in [
      (String(repeating: "a", count: 42), false), (String(repeating: "a", count: 43), true),
      (String(repeating: "~", count: 128), true), (String(repeating: "a", count: 129), false),
      (String(repeating: "a", count: 43) + "+", false), (String(repeating: "é", count: 43), false),
    ] {
      let own = CodeChallenge(digest: Digest.sha256(Array(verifier.utf8)))
      #expect(own.isMet(by: verifier) == isGood, "\(verifier)")
    }
  }

  @Test(
    "what is no digest in base64url is no challenge",
    arguments: [
      "", "x", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMA",
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN",
    ])
  func malformed(text: String) { #expect(CodeChallenge(text) == nil) }

  @Test("a code is good once, and what it stands for comes back whole", arguments: StoreEngine.allCases)
  func once(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let (codes, challenge) = (codes(fixture), try #require(challenge))
      let link = SignInCodes.Grant(app: 8, user: "v", provider: "q", isNewAccount: false, isLinking: true)
      for grant in [grant, link] {
        let code = try await codes.issue(grant, for: challenge)
        #expect(Base64URL.decode(code.utf8)?.count == 32)
        let columns = try await fixture.store.read { try $0.query("SELECT * FROM sign_in_codes", []) }
        #expect(!"\(columns)".contains(code), "digests alone are kept")
        #expect(try await codes.redeem(code, verifier: verifier) == grant)
        #expect(try await codes.redeem(code, verifier: verifier) == nil)
      }
    }
  }

  @Test("a wrong verifier uses the code up", arguments: StoreEngine.allCases)
  func wrongVerifier(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let (codes, challenge) = (codes(fixture), try #require(challenge))
      for wrong in ["", String(repeating: "a", count: 43)] {
        let code = try await codes.issue(grant, for: challenge)
        #expect(try await codes.redeem(code, verifier: wrong) == nil)
        #expect(try await codes.redeem(code, verifier: verifier) == nil)
      }
      #expect(try await codes.redeem("unknown", verifier: verifier) == nil)
    }
  }

  @Test("a code is good for a minute, and its row is removed behind")
  func old() async throws {
    try await withAccounts(.sqlite) { fixture in
      let (codes, challenge) = (codes(fixture), try #require(challenge))
      let (young, old) = (try await codes.issue(grant, for: challenge), try await codes.issue(grant, for: challenge))
      fixture.clock.advance(seconds: 59)
      #expect(try await codes.redeem(young, verifier: verifier) == grant)
      fixture.clock.advance(seconds: 1)
      #expect(try await codes.redeem(old, verifier: verifier) == nil)
      _ = try await codes.issue(grant, for: challenge)
      fixture.clock.advance(seconds: 400)
      let pruner = ExpiryPruner(
        store: fixture.store, auditKeep: nil, clock: fixture.clock, logger: fixture.logger)
      #expect(try await pruner.prune() == 1)
    }
  }

  @Test("of twenty exchanges of one code at once one succeeds", arguments: StoreEngine.allCases)
  func race(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let (codes, challenge) = (codes(fixture), try #require(challenge))
      let (code, verifier) = (try await codes.issue(grant, for: challenge), verifier)
      let won = try await withThrowingTaskGroup(of: SignInCodes.Grant?.self) { group in
        for _ in 0..<20 { group.addTask { try await codes.redeem(code, verifier: verifier) } }
        return try await group.reduce(into: 0) { if $1 != nil { $0 += 1 } }
      }
      #expect(won == 1)
    }
  }

  @Test("a flow keeps its challenge, or none", arguments: StoreEngine.allCases)
  func flows(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let flows = WebFlows(store: fixture.store, clock: fixture.clock, logger: fixture.logger)
      for challenge in [nil, challenge] {
        let flow = WebFlows.Flow(
          app: 1, provider: "p", nonce: "n", redirect: "a://b", callback: "https://c", challenge: challenge, cookie: "d"
        )
        try await flows.begin(flow, state: "s")
        #expect(try await flows.take(state: "s") == flow)
      }
    }
  }
}
