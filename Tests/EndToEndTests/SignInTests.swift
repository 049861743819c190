import GatewayBase
import GatewayTesting
import Testing

/// Section 1: what a good sign-in answers, and which check refuses first.
@Suite("Sign in with Apple", .onEveryWire) struct SignInTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private func token(_ app: App = .alpha) throws -> IdentityToken {
    try stage.sandbox.token(TokenRequest(audience: app.bundleID))
  }

  private func expect(
    _ answer: HTTPAnswer, _ status: Int, _ code: String, location: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.status == status, sourceLocation: location)
    #expect(answer.errorCode == code, sourceLocation: location)
    #expect(answer.fields["X-Speed-Error"] == code, sourceLocation: location)
  }

  @Test("B3 a first sign-in makes an account and answers the contract's JSON")
  func first() throws {
    let subject = TokenRequest.freshSubject()
    let token = try stage.sandbox.token(
      TokenRequest(audience: App.alpha.bundleID, subject: subject, claims: ["email": "first@example.org"]))
    let before = SystemClock().now
    let answer = try stage.gateway.signIn(app: App.alpha.id, token, ["fullName": "Jane Doe"])
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Type"] == "application/json")
    let json = try answer.json()
    #expect(
      json.names == ["token", "expiresAt", "user", "role", "appUserUUID", "isNewAccount", "isLocalUser"])
    #expect(json["user"].names == ["id", "name", "email", "photo"])
    #expect(json["user"]["name"] == "Jane Doe" && json["user"]["email"] == "first@example.org")
    #expect(json["user"]["photo"] == .null)
    #expect(json["role"] == "app-user" && json["isNewAccount"] == true && json["isLocalUser"] == true)
    let week = before.adding(seconds: 7 * 86_400).rfc3339
    #expect((json["expiresAt"].string ?? "") >= week)
    let uuid = Array(json["appUserUUID"].string ?? "")
    #expect(uuid.count == 36 && uuid[14] == "5" && uuid.allSatisfy { !$0.isUppercase })
  }

  @Test("a later sign-in finds the same account, whatever its email says")
  func again() throws {
    let subject = TokenRequest.freshSubject()
    let answers = try ["a@example.org", "b@example.org"].map { email in
      let token = try stage.sandbox.token(
        TokenRequest(audience: App.alpha.bundleID, subject: subject, claims: ["email": .string(email)]))
      return try stage.gateway.signIn(app: App.alpha.id, token).json()
    }
    #expect(answers[0]["user"]["id"] == answers[1]["user"]["id"])
    #expect(answers[0]["appUserUUID"] == answers[1]["appUserUUID"])
    #expect(answers[0]["isNewAccount"] == true && answers[1]["isNewAccount"] == false)
    #expect(answers[1]["user"]["email"] == "b@example.org")
    #expect(answers[0]["token"] != answers[1]["token"])
  }

  @Test("one email never makes one account of two subjects, and one subject is two accounts in two apps")
  func accountsApart() throws {
    let subject = TokenRequest.freshSubject()
    let requests = [
      (App.alpha, subject), (App.alpha, TokenRequest.freshSubject()), (App.beta, subject),
    ]
    let ids = try requests.map { app, subject in
      let token = try stage.sandbox.token(TokenRequest(audience: app.bundleID, subject: subject))
      return try stage.gateway.signIn(app: app.id, token).json()["user"]["id"].string
    }
    #expect(Set(ids).count == 3)
  }

  @Test("any bundle ID of an app with a team reaches the same account")
  func bundlesOfOneApp() throws {
    let subject = TokenRequest.freshSubject()
    let ids = try [App.team.bundleID, "com.example.team.two"].map { bundleID in
      let token = try stage.sandbox.token(TokenRequest(audience: bundleID, subject: subject))
      return try stage.gateway.signIn(app: App.team.id, token).json()["user"]["id"].string
    }
    #expect(ids[0] != nil && ids[0] == ids[1])
  }

  @Test(
    "the app is found by a string of digits and by any form of its domain",
    arguments: [
      ["appId": "108"], ["domain": "bücher.example"], ["domain": "xn--bcher-kva.example"],
      ["domain": "XN--BCHER-KVA.Example."], ["domain": "BÜCHER.example:443"],
      ["appId": 108, "domain": "bücher.example"],
    ] as [[String: JSON]])
  func target(members: [String: JSON]) throws {
    let token = try token(.lax)
    let answer = try stage.gateway.signIn(
      members.merging(["identityToken": .string(token.text), "rawNonce": .string(token.rawNonce)]) { $1 })
    #expect(answer.status == 200)
  }

  @Test("appId and domain of two apps are 400 invalid_request")
  func disagreement() throws {
    let token = try token()
    expect(
      try stage.gateway.signIn(app: App.alpha.id, token, ["domain": .string(App.beta.host)]), 400, "invalid_request")
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200, "the refusal burnt nothing")
  }

  @Test("an app that is not there is 404 Target not found, before the token is looked at")
  func unknownApp() throws {
    let garbage = IdentityToken(text: "x", rawNonce: "")
    for app in [0, -1, 999_999, Int.max] {
      expect(try stage.gateway.signIn(app: app, garbage), 404, "Target not found")
    }
    for domain in ["nobody.localhost", "", "a b", "\u{0}"] {
      let answer = try stage.gateway.signIn(
        ["domain": .string(domain), "identityToken": "x", "rawNonce": "x"])
      #expect([400, 404].contains(answer.status))
    }
  }

  @Test(
    "a body that is no sign-in is 400 invalid_request and no more",
    arguments: [
      "", "null", "[]", "\"x\"", "1", "{", "{\"appId\":101", "{}", "{\"appId\":1.5}", "{\"appId\":true}",
      "{\"appId\":[101]}", "{\"appId\":101,\"identityToken\":5,\"rawNonce\":\"x\"}",
      "{\"appId\":101,\"identityToken\":\"x\",\"rawNonce\":{}}", "{\"appId\":\"1e2\"}", "{\"appId\":\"+101\"}",
      "{\"appId\":99999999999999999999}", "{\"domain\":5}", "{\"appId\":101,\"appId\":102}", "\u{FEFF}{}",
      "{\"appId\":101,\"identityToken\":\"x\",\"rawNonce\":\"x\",\"fullName\":5}",
    ])
  func badBody(text: String) throws {
    let answer = try stage.gateway.exchange(
      HTTPRequest("POST", GatewayProcess.signInPath, host: "api.localhost", body: Array(text.utf8)))
    // What is missing may be said as what it leads to: no app, or no token.
    #expect([400, 401, 404].contains(answer.status), "\(text)")
    #expect(answer.errorCode != nil)
  }

  @Test("a body of invalid UTF-8 or of a hundred thousand brackets is refused, and the gateway lives")
  func hostileBody() throws {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
    for body in [[0xFF, 0xFE], deep, Array("{\"appId\":101,\"x\":".utf8) + deep] {
      let answer = try stage.gateway.exchange(
        HTTPRequest("POST", GatewayProcess.signInPath, host: "api.localhost", body: body))
      #expect(answer.status == 400)
    }
    let large = [UInt8](repeating: UInt8(ascii: " "), count: 200_000)
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      "POST \(GatewayProcess.signInPath) HTTP/1.1\r\nHost: api.localhost\r\nContent-Length: \(large.count)\r\n\r\n")
    connection.sendIfPossible(large)
    #expect(try connection.receiveAnswer().status == 413)
  }

  @Test("fullName that is no string is 400 invalid_request; null is as good as absent")
  func nameType() throws {
    for name: JSON in [5, true, ["a"], .object([:])] {
      expect(try stage.gateway.signIn(app: App.alpha.id, try token(), ["fullName": name]), 400, "invalid_request")
    }
    #expect(try stage.gateway.signIn(app: App.alpha.id, try token(), ["fullName": nil]).status == 200)
  }

  @Test("another method is 405 with Allow, another path 404")
  func routes() throws {
    let get = try stage.gateway.exchange(HTTPRequest("GET", GatewayProcess.signInPath, host: "api.localhost"))
    #expect(get.status == 405)
    #expect(get.fields["Allow"]?.contains("POST") == true)
    let other = try stage.gateway.exchange(
      HTTPRequest("POST", "/api/platform/auth/nobody", host: "api.localhost", json: [:]))
    expect(other, 404, "no_route")
  }

  @Test("a provider that the app does not list is 400 provider_not_enabled")
  func notListed() throws {
    expect(try stage.gateway.signIn(app: App.closed.id, try token(.closed)), 400, "provider_not_enabled")
  }

  @Test("B11 an app without a bundle ID is 400 ios_not_configured, before the token is looked at")
  func noBundle() throws {
    expect(try stage.gateway.signIn(app: App.bare.id, try token()), 400, "ios_not_configured")
    expect(
      try stage.gateway.signIn(app: App.bare.id, IdentityToken(text: "x", rawNonce: "")), 400, "ios_not_configured")
  }

  @Test("a bundle ID of two apps is 403 bundle_id_conflict on both, after the token and before the nonce")
  func conflict() throws {
    for app in [App.twinA, App.twinB] {
      var token = try token(app)
      expect(try stage.gateway.signIn(app: app.id, token), 403, "bundle_id_conflict")
      token.rawNonce = "short"
      expect(try stage.gateway.signIn(app: app.id, token), 403, "bundle_id_conflict")
      let expired = try stage.sandbox.token(TokenRequest(audience: app.bundleID, claims: ["exp": 1]))
      expect(try stage.gateway.signIn(app: app.id, expired), 401, "invalid_identity_token")
      let foreign = try stage.sandbox.token(TokenRequest(audience: "com.example.other"))
      expect(try stage.gateway.signIn(app: app.id, foreign), 401, "invalid_identity_token")
    }
  }

  @Test("a refusal says in the log which check failed, and the log holds no token and no address")
  func log() throws {
    let address = "logged-\(UUIDText.random())@example.org"
    var token = try stage.sandbox.token(
      TokenRequest(audience: App.alpha.bundleID, claims: ["email": .string(address)]))
    let raw = token.rawNonce
    token.rawNonce = UUIDText.random().description
    let refused = try stage.gateway.signIn(app: App.alpha.id, token)
    expect(refused, 401, "invalid_identity_token")
    let id = try #require(try refused.json()["requestId"].string)
    let told = stage.gateway.process.waitForLine { $0.contains(id) && $0.contains("nonce") ? true : nil }
    #expect(told == true)
    token.rawNonce = raw
    let bearer = try stage.gateway.bearer(app: App.alpha.id, token)
    for secret in [token.text, address, bearer, raw] { #expect(!stage.gateway.log.contains(secret)) }
  }
}
