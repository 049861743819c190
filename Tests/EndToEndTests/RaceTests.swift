import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults under "Concurrency", over HTTP.
@Suite("Races of sign-ins", .onEveryWire) struct RaceTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("B77 twenty first sign-ins of one subject at once make one account, and exactly one is the first")
  func parallelFirst() throws {
    let stage = stage
    let subject = TokenRequest.freshSubject()
    let tokens = try (0..<20).map { _ in
      try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID, subject: subject))
    }
    let answers = try Parallel.run(20) { try stage.gateway.signIn(app: App.alpha.id, tokens[$0]) }
    #expect(answers.allSatisfy { $0.status == 200 })
    let json = try answers.map { try $0.json() }
    #expect(Set(json.map { $0["user"]["id"].string }).count == 1)
    #expect(json.filter { $0["isNewAccount"] == true }.count == 1)
  }

  @Test("B78 every session of a raced sign-in belongs to the account that is there")
  func noOrphans() throws {
    let stage = stage
    let subject = TokenRequest.freshSubject()
    let tokens = try (0..<20).map { _ in
      try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID, subject: subject))
    }
    let bearers = try Parallel.run(20) { try stage.gateway.bearer(app: App.alpha.id, tokens[$0]) }
    let users = try bearers.map { try stage.gateway.me($0).json()["user"]["id"].string }
    #expect(Set(users).count == 1 && users[0] != nil)
  }

  @Test("B79 after a race the user signs in as before")
  func afterRace() throws {
    let stage = stage
    let subject = TokenRequest.freshSubject()
    let request = TokenRequest(audience: App.alpha.bundleID, subject: subject)
    let tokens = try (0..<8).map { _ in
      var request = request
      request.rawNonce = UUIDText.random().description
      return try stage.sandbox.token(request)
    }
    let ids = try Parallel.run(7) { try stage.gateway.signIn(app: App.alpha.id, tokens[$0]).json()["user"]["id"] }
    let last = try stage.gateway.signIn(app: App.alpha.id, tokens[7]).json()
    #expect(last["isNewAccount"] == false && last["user"]["id"] == ids[0])
  }
}
