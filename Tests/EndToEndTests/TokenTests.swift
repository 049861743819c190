import GatewayBase
import GatewayTesting
import Testing

/// Section 4: the gateway's own tokens, the profile, and signing out.
@Suite("Tokens", .onEveryWire) struct TokenTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private func keys(_ gateway: GatewayProcess) throws -> [JSON] {
    let answer = try gateway.exchange(HTTPRequest("GET", "/.well-known/jwks.json", host: "api.localhost"))
    #expect(answer.status == 200)
    return try answer.json()["keys"].items
  }

  @Test("a token has the contract's header and claims, and lives a week")
  func claims() throws {
    let token = try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID))
    let before = SystemClock().now.seconds
    let answer = try stage.gateway.signIn(app: App.alpha.id, token).json()
    let jwt = try JWTText(try #require(answer["token"].string))
    #expect(jwt.header["typ"] == "at+jwt" && jwt.header["alg"] == "ES256")
    #expect(jwt.claims.names == ["iss", "sub", "aud", "iat", "exp", "jti", "role", "local", "uuid"])
    #expect(jwt.claims["iss"] == "http://api.localhost")
    #expect(jwt.claims["aud"] == "\(App.alpha.id)")
    #expect(jwt.claims["sub"] == answer["user"]["id"])
    #expect(jwt.claims["uuid"] == answer["appUserUUID"])
    #expect(jwt.claims["role"] == "app-user" && jwt.claims["local"] == true)
    #expect((jwt.claims["jti"].string ?? "").utf8.count >= 16)
    let issued = try #require(jwt.claims["iat"].integer)
    let ends = try #require(jwt.claims["exp"].integer)
    #expect(ends - issued == 7 * 86_400 && abs(issued - before) <= 5)
    #expect(answer["expiresAt"].string == UnixTime(seconds: ends).rfc3339)
    #expect(jwt.signature.count == 64)
  }

  @Test("the published keys are public halves on P-256, and the token's is among them")
  func jwks() throws {
    let keys = try keys(stage.gateway)
    let kid = try JWTText(stage.bearer).header["kid"]
    #expect(keys.contains { $0["kid"] == kid })
    for key in keys {
      #expect(key["kty"] == "EC" && key["crv"] == "P-256" && key["alg"] == "ES256" && key["use"] == "sig")
      #expect(key["d"] == .null)
      for coordinate in ["x", "y"] { #expect(Base64URL.decode((key[coordinate].string ?? "").utf8)?.count == 32) }
    }
  }

  @Test("me is the profile less the token, with the balance")
  func me() throws {
    let answer = try stage.gateway.me(stage.bearer)
    #expect(answer.status == 200)
    let json = try answer.json()
    #expect(!json.names.contains("token"))
    #expect(json.names.isSuperset(of: ["user", "role", "appUserUUID", "isLocalUser", "balance"]))
    #expect(json["user"]["id"] == (try JWTText(stage.bearer)).claims["sub"])
    #expect(json["balance"] == 0)
  }

  @Test("me without a token is 401 missing_token, with a bad one 401 invalid_token")
  func meRefused() throws {
    let missing = try stage.gateway.exchange(HTTPRequest("GET", "/api/platform/auth/me", host: "api.localhost"))
    #expect(missing.status == 401 && missing.errorCode == "missing_token")
    #expect(missing.fields["WWW-Authenticate"] == "Bearer")
    let bad = try stage.gateway.me(String(stage.bearer.dropLast(3)))
    #expect(bad.status == 401 && bad.errorCode == "invalid_token")
  }

  @Test("B81 a signed-out token is dead at once, everywhere, and no other token with it")
  func signOut() throws {
    let subject = TokenRequest.freshSubject()
    let bearers = try (0..<2).map { _ in
      try stage.gateway.bearer(
        app: App.alpha.id,
        try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID, subject: subject)))
    }
    let use = { (bearer: String) in
      try self.stage.gateway.exchange(.authorized("GET", "/", host: App.alpha.host, bearer: bearer))
    }
    // Known to every loop that took these connections before it ends.
    for _ in 0..<8 { #expect(try use(bearers[0]).status == 200) }
    let answer = try stage.gateway.signOut(bearers[0])
    #expect(answer.status == 204 && answer.body.isEmpty)
    for _ in 0..<8 {
      let refused = try use(bearers[0])
      #expect(refused.status == 401 && refused.errorCode == "invalid_token")
    }
    #expect(try stage.gateway.me(bearers[0]).status == 401)
    #expect(try stage.gateway.signOut(bearers[0]).status == 401)
    #expect(try use(bearers[1]).status == 200)
  }

  @Test("a signed-out token stays dead after a restart, and a good one good")
  func acrossRestart() throws {
    let relay = try Relay(ports: [stage.backend.port])
    let other = try relay.gateway.bearer(
      app: 201, try stage.sandbox.token(TokenRequest(audience: "com.example.relay")))
    #expect(try relay.gateway.signOut(relay.bearer).status == 204)
    relay.gateway.kill()
    try relay.gateway.start()
    #expect(try relay.gateway.me(relay.bearer).status == 401)
    #expect(try relay.gateway.me(other).status == 200)
  }

  @Test("a token ends when its time is over")
  func expiry() throws {
    var tenant = TenantFile(202, "short.localhost", bundleIDs: ["com.example.short"], ports: [stage.backend.port])
    tenant.lines = ["sessions: { lifetime: 2s }"]
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: stage.sandbox.keysURL, tenants: ["short.yaml": tenant.yaml]))
    let bearer = try gateway.bearer(
      app: 202, try stage.sandbox.token(TokenRequest(audience: "com.example.short")))
    let request = HTTPRequest.authorized("GET", "/", host: "short.localhost", bearer: bearer)
    #expect(try gateway.exchange(request).status == 200)
    let ends = try #require(try JWTText(bearer).claims["exp"].integer)
    #expect(try eventually { try gateway.exchange(request).status == 401 })
    #expect(SystemClock().now.seconds >= ends)
    #expect(try gateway.me(bearer).errorCode == "invalid_token")
  }

  @Test("a token of another gateway, with keys of its own, is 401")
  func otherIssuer() throws {
    let relay = try Relay(ports: [stage.backend.port])
    let answer = try stage.gateway.exchange(.authorized("GET", "/", host: App.alpha.host, bearer: relay.bearer))
    #expect(answer.status == 401 && answer.errorCode == "invalid_token")
  }

  @Test("GW-107 a token revoked on one node is dead on another within two seconds")
  func twoNodes() throws {
    let shared = try TemporaryFolder()
    let sections = [
      "store": "{ url: \"sqlite:\(shared.path("gateway.db"))\" }", "tokens": "{ keys: \(shared.path("keys")) }",
    ]
    let first = try Relay(ports: [stage.backend.port], sections: sections)
    let second = try Relay(ports: [stage.backend.port], sections: sections)
    let request = first.request()
    for node in [first, second] { #expect(try node.gateway.exchange(request).status == 200) }
    #expect(try first.gateway.signOut(first.bearer).status == 204)
    let deadline = Deadline(seconds: 2.5)
    #expect(try eventually { try second.gateway.exchange(request).status == 401 })
    #expect(!deadline.isOver)
  }

  @Test("token inspect says what a token is and whether it is good, and why not")
  func inspect() throws {
    let relay = try Relay(ports: [stage.backend.port])
    let good = try relay.gateway.command("token", "inspect", relay.bearer)
    #expect(good.exitCode == 0)
    #expect(good.standardOutput.contains(try JWTText(relay.bearer).claims["jti"].string ?? "?"))
    var forged = try JWTText(relay.bearer)
    forged.claims = forged.claims.with("sub", "someone-else")
    for text in [forged.text, stage.bearer, "garbage"] {
      let bad = try relay.gateway.command("token", "inspect", text)
      #expect(bad.exitCode == 1)
      #expect(!bad.standardOutput.isEmpty || !bad.standardError.isEmpty)
    }
    #expect(try relay.gateway.signOut(relay.bearer).status == 204)
    let ended = try relay.gateway.command("token", "inspect", relay.bearer)
    #expect(ended.exitCode == 1, "\(ended.standardOutput)")
    #expect(ended.standardOutput.contains("revoked"))
  }

  @Test("token revoke ends a token within two seconds")
  func revoke() throws {
    let relay = try Relay(ports: [stage.backend.port])
    #expect(try relay.exchange().status == 200)
    #expect(try relay.gateway.command("token", "revoke", relay.bearer).exitCode == 0)
    let deadline = Deadline(seconds: 2.5)
    #expect(try eventually { try relay.exchange().status == 401 })
    #expect(!deadline.isOver)
    #expect(try relay.gateway.me(relay.bearer).status == 401)
  }

  @Test("keys rotate brings a new key; the old one verifies on")
  func rotate() throws {
    let relay = try Relay(ports: [stage.backend.port])
    let old = try #require(try JWTText(relay.bearer).header["kid"].string)
    #expect(try relay.gateway.command("keys", "list").standardOutput.contains(old))
    #expect(try relay.gateway.command("keys", "rotate").exitCode == 0)
    let listed = try relay.gateway.command("keys", "list")
    #expect(listed.exitCode == 0 && listed.standardOutput.contains(old))
    let isNew = try eventually {
      let token = try stage.sandbox.token(TokenRequest(audience: "com.example.relay"))
      let bearer = try relay.gateway.bearer(app: 201, token)
      return try JWTText(bearer).header["kid"].string != old
    }
    #expect(isNew)
    #expect(try relay.exchange().status == 200)
    #expect(try relay.gateway.me(relay.bearer).status == 200)
    #expect(try keys(relay.gateway).count >= 2)
  }

  @Test("the key files are the owner's alone")
  func keyFiles() throws {
    let relay = try Relay(ports: [stage.backend.port])
    let listing = try CommandResult.run(
      ["find", relay.gateway.folder.path("var/keys"), "-type", "f", "-printf", "%m\n"]
    ).standardOutput.split(separator: "\n")
    #expect(!listing.isEmpty && listing.allSatisfy { $0 == "600" })
  }
}
