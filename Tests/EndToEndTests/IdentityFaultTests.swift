import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults under "Nonce and replay", "Audience", "Keys and signatures", "Claim shapes" and "Name, email".
@Suite("Identity faults") struct IdentityFaultTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private var now: Int64 { SystemClock().now.seconds }

  private func request(
    claims: [String: JSONValue] = [:], omitted: [String] = [], header: [String: JSONValue] = [:], key: String? = nil
  ) -> TokenRequest {
    TokenRequest(audience: App.alpha.bundleID, claims: claims, omitted: omitted, header: header, key: key)
  }

  private func signIn(_ request: TokenRequest, _ extra: [String: JSONValue] = [:]) throws -> HTTPAnswer {
    try stage.gateway.signIn(app: App.alpha.id, try stage.sandbox.token(request), extra)
  }

  private func expectRefused(
    _ request: TokenRequest, _ extra: [String: JSONValue] = [:], location: SourceLocation = #_sourceLocation
  ) throws {
    let answer = try signIn(request, extra)
    #expect(answer.status == 401, sourceLocation: location)
    #expect(answer.errorCode == "invalid_identity_token", sourceLocation: location)
  }

  // MARK: Nonce and replay

  @Test("B1 a nonce claim that is base64 of the hash, or the raw value, is refused")
  func nonceForms() throws {
    let request = request()
    let good = try JWTText(try stage.sandbox.token(request).text)
    let hex = try #require(good.claims["nonce"].string)
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    for claim in [Base64URL.encode(bytes), request.rawNonce, String(hex.dropLast()), hex + "0", " \(hex)", ""] {
      var other = request
      other.claims["nonce"] = .string(claim)
      try expectRefused(other)
    }
    for claim: JSONValue in [nil, 5, true, ["x"]] {
      var other = request
      other.claims["nonce"] = claim
      try expectRefused(other)
    }
  }

  @Test("B2 a client that sends the hash as the raw value is refused")
  func hashAsRaw() throws {
    var token = try stage.sandbox.token(request())
    token.rawNonce = try #require(try JWTText(token.text).claims["nonce"].string)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 401)
  }

  @Test("B5 a token without a nonce is refused")
  func missingClaim() throws {
    try expectRefused(request(omitted: ["nonce"]))
    try expectRefused(request(claims: ["nonce_supported": true], omitted: ["nonce"]))
    try expectRefused(request(claims: ["nonce_supported": false], omitted: ["nonce"]))
  }

  @Test("B7 a token is accepted once: twice in a row, and twenty times at once")
  func replay() throws {
    let token = try stage.sandbox.token(request())
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 401)
    let other = try stage.sandbox.token(request())
    let stage = stage
    let statuses = try Parallel.run(20) { _ in try stage.gateway.signIn(app: App.alpha.id, other).status }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.filter { $0 == 401 }.count == 19)
  }

  @Test("B7 a nonce is accepted once, in whichever token it stands")
  func nonceReplay() throws {
    let request = request()
    #expect(try signIn(request).status == 200)
    var other = self.request()
    other.rawNonce = request.rawNonce
    try expectRefused(other)
  }

  @Test("B7 a refused attempt burns nothing")
  func refusalBurnsNothing() throws {
    let token = try stage.sandbox.token(request())
    var wrong = token
    wrong.rawNonce = UUIDText.random().description
    for _ in 0..<3 { #expect(try stage.gateway.signIn(app: App.alpha.id, wrong).status == 401) }
    #expect(try stage.gateway.signIn(app: App.beta.id, token).status == 401)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token, ["fullName": 5]).status == 400)
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
  }

  @Test("B9 upper-case hexadecimal is refused")
  func upperCase() throws {
    let request = request()
    let good = try JWTText(try stage.sandbox.token(request).text)
    var other = request
    other.claims["nonce"] = .string(try #require(good.claims["nonce"].string).uppercased())
    try expectRefused(other)
  }

  @Test("B10 a raw nonce is required, of 32 characters or more")
  func rawNonce() throws {
    var short = request()
    short.rawNonce = String(repeating: "n", count: 31)
    try expectRefused(short)
    var enough = request()
    enough.rawNonce = String(UUIDText.random().description.filter { $0 != "-" })
    #expect(enough.rawNonce.count == 32)
    #expect(try signIn(enough).status == 200)
    let token = try stage.sandbox.token(request())
    let absent = try stage.gateway.signIn(
      ["appId": .integer(Int64(App.alpha.id)), "identityToken": .string(token.text)])
    #expect(absent.status == 401 && absent.errorCode == "invalid_identity_token")
    try expectRefused(request(), ["rawNonce": ""])
    try expectRefused(request(), ["rawNonce": nil])
  }

  // MARK: Audience and issuer

  @Test("B13 a Services ID is no audience of a native sign-in")
  func servicesID() throws {
    try expectRefused(request(claims: ["aud": "com.example.alpha.web"]))
  }

  @Test("B14 an audience of another app is refused, in every spelling of ours")
  func foreignAudience() throws {
    for audience: JSONValue in [
      "com.other.app", .string(App.beta.bundleID), "", "COM.EXAMPLE.ALPHA", "com.example.alpha ", "com.example.*", nil,
      5, true,
      .object([:]),
    ] {
      try expectRefused(request(claims: ["aud": audience]))
    }
    try expectRefused(request(omitted: ["aud"]))
  }

  @Test("B17 an audience list of our one bundle ID is good, one with a foreign entry is not")
  func audienceList() throws {
    #expect(try signIn(request(claims: ["aud": ["com.example.alpha"]])).status == 200)
    try expectRefused(request(claims: ["aud": ["com.example.alpha", "com.evil"]]))
    try expectRefused(request(claims: ["aud": []]))
    try expectRefused(request(claims: ["aud": ["com.example.alpha", 5]]))
  }

  @Test("B18 the issuer is the configured one alone, without discovery")
  func issuer() throws {
    for issuer: JSONValue in [
      "https://account.apple.com", "https://appleid.apple.com/", "http://appleid.apple.com", "", nil,
      ["https://appleid.apple.com"],
    ] {
      try expectRefused(request(claims: ["iss": issuer]))
    }
    #expect(try signIn(request()).status == 200)
  }

  // MARK: Keys and signatures

  @Test("B21 a signature by another key under a known id is refused")
  func foreignKey() throws {
    try expectRefused(request(key: "foreign"))
    #expect(try signIn(request()).status == 200)
  }

  @Test(
    "B27 an alg from the header never chooses the check",
    arguments: ["HS256", "none", "None", "RS512", "PS256", "rs256", ""])
  func algorithm(name: String) throws {
    try expectRefused(request(header: ["alg": .string(name)]))
  }

  @Test("B27 a token without a signature is refused")
  func unsigned() throws {
    let token = try stage.sandbox.token(request())
    var forged = try JWTText(token.text)
    forged.header = forged.header.with("alg", "none")
    forged.signature = []
    for text in [forged.text, String(forged.text.dropLast()), "\(forged.signingInput).AA"] {
      let answer = try stage.gateway.signIn(app: App.alpha.id, IdentityToken(text: text, rawNonce: token.rawNonce))
      #expect(answer.status == 401)
    }
  }

  @Test("B29 a malformed token is 401, never 500")
  func malformed() throws {
    let token = try stage.sandbox.token(request())
    let good = try JWTText(token.text)
    let header = Base64URL.encode(good.header.bytes)
    let claims = Base64URL.encode(good.claims.bytes)
    let signature = Base64URL.encode(good.signature)
    let texts = [
      "", "abc", "a.b", "..", ".", "a.b.c.d", "....", "\(header)..", "\(header).\(claims).", ".\(claims).\(signature)",
      "\(header).\(claims).\(signature).\(signature)", "\(header).\(claims).\(signature)=",
      "\(header).\(claims).\(signature)\n",
      "\(Base64URL.encode(Array("not json".utf8))).\(claims).\(signature)",
      "\(Base64URL.encode(Array("[]".utf8))).\(claims).\(signature)",
      "\(Base64URL.encode(Array("{\"alg\":5}".utf8))).\(claims).\(signature)",
      "\(header).\(Base64URL.encode(Array("[]".utf8))).\(signature)",
      "\(header).\(Base64URL.encode([0xFF])).\(signature)",
      "é.é.é", "\u{0}", String(repeating: "a", count: 20_000), String(repeating: ".", count: 10_000),
    ]
    for (index, text) in texts.enumerated() {
      let answer = try stage.gateway.signIn(app: App.alpha.id, IdentityToken(text: text, rawNonce: token.rawNonce))
      #expect(answer.status == 401, "text \(index)")
      #expect(answer.errorCode == "invalid_identity_token", "text \(index)")
    }
    #expect(try stage.gateway.signIn(app: App.alpha.id, token).status == 200)
  }

  @Test("B29 a header without a kid, or with an odd one, is 401")
  func oddHeader() throws {
    for kid: JSONValue in [nil, 5, "", ["x"], "../../etc/passwd", .string(String(repeating: "k", count: 5000))] {
      try expectRefused(request(header: ["kid": kid]))
    }
    try expectRefused(request(header: ["crit": ["exp"]]))
    try expectRefused(request(header: ["b64": false, "crit": ["b64"]]))
  }

  @Test("B30 a header that says ES256 is refused")
  func otherAlgorithm() throws {
    try expectRefused(request(header: ["alg": "ES256"]))
  }

  // MARK: Claim shapes and clocks

  @Test(
    "B31 email_verified in any shape signs in",
    arguments: ["true", true, "false", false, nil, 1, "TRUE", [], .object([:]), 0] as [JSONValue])
  func emailVerified(value: JSONValue) throws {
    #expect(try signIn(request(claims: ["email_verified": value])).status == 200)
  }

  @Test("B33 is_private_email may be missing or of any shape")
  func privateEmail() throws {
    #expect(try signIn(request(omitted: ["is_private_email"])).status == 200)
    for value: JSONValue in ["true", true, "false", false, nil, 7, "yes"] {
      #expect(try signIn(request(claims: ["is_private_email": value])).status == 200)
    }
  }

  @Test("B34 an unverified address suggests no link")
  func unverified() throws {
    for value: JSONValue in ["false", false, nil, "TRUE", 1] {
      let json = try signIn(request(claims: ["email_verified": value])).json()
      #expect(!json.names.contains("linkSuggestion"))
    }
  }

  @Test("B35 a token without an address makes an account without one")
  func noEmail() throws {
    #expect(try signIn(request(omitted: ["email"])).json()["user"]["email"] == .null)
    for email: JSONValue in ["", nil, 5, ["a@b.c"], "not an address"] {
      let answer = try signIn(request(claims: ["email": email]))
      #expect(answer.status == 200)
      #expect(try answer.json()["user"]["email"] == .null)
    }
  }

  @Test("B37 clocks may differ by 60 seconds, not by minutes")
  func clocks() throws {
    let now = now
    let good: [[String: JSONValue]] = [
      ["iat": .integer(now + 2)], ["exp": .integer(now - 1)], ["exp": .integer(now + 1)], ["iat": .integer(now - 3600)],
    ]
    for claims in good { #expect(try signIn(request(claims: claims)).status == 200, "\(claims)") }
    let bad: [[String: JSONValue]] = [
      ["iat": .integer(now + 600)], ["exp": .integer(now - 300)], ["exp": 0], ["exp": -1], ["iat": .integer(.max)],
      ["exp": .integer(.min)], ["exp": "never"], ["exp": nil], ["iat": nil], ["iat": "now"], ["exp": []],
    ]
    for claims in bad { try expectRefused(request(claims: claims)) }
    try expectRefused(request(omitted: ["exp"]))
    try expectRefused(request(omitted: ["iat"]))
  }

  @Test("GW-106 a token issued half a minute ahead of our clock is good")
  func ahead() throws {
    #expect(try signIn(request(claims: ["iat": .integer(now + 30)])).status == 200)
    try expectRefused(request(claims: ["iat": .integer(now + 90)]))
  }

  @Test("claims of absurd numbers are refused or harmless, never a crash")
  func absurdNumbers() throws {
    for number: JSONValue in [.number(1e300), .number(-1e300), .number(1.5), .integer(.max), .integer(.min)] {
      for name in ["exp", "iat", "nbf", "auth_time", "real_user_status"] {
        #expect([200, 401].contains(try signIn(request(claims: [name: number])).status))
      }
    }
    #expect(try stage.gateway.adminStatus("/healthz") == 200)
  }

  @Test("a subject must be there, as a text of sane length")
  func subject() throws {
    for subject: JSONValue in ["", nil, 5, ["x"], .string(String(repeating: "s", count: 5000))] {
      try expectRefused(request(claims: ["sub": subject]))
    }
    try expectRefused(request(omitted: ["sub"]))
  }

  // MARK: Name, email, profile

  @Test("B41 without fullName the name stays empty, whatever the address is")
  func noName() throws {
    #expect(try signIn(request()).json()["user"]["name"] == .null)
    #expect(try signIn(request(), ["fullName": " \t "]).json()["user"]["name"] == .null)
  }

  @Test("B41 a name is kept from the first sign-in that brings one, and never replaced")
  func nameOnce() throws {
    var request = request()
    let names = try [nil, "Ada", "Eve", nil].map { (name: JSONValue) in
      request.rawNonce = UUIDText.random().description
      return try signIn(request, ["fullName": name]).json()["user"]["name"]
    }
    #expect(names == [nil, "Ada", "Ada", "Ada"])
  }

  @Test("B46 a name keeps its emoji and accents")
  func emoji() throws {
    #expect(try signIn(request(), ["fullName": "Zoë 🚲 ✨ Ω"]).json()["user"]["name"] == "Zoë 🚲 ✨ Ω")
  }

  @Test("B47 a long name is cut between characters")
  func longName() throws {
    let accents = try signIn(request(), ["fullName": .string(String(repeating: "é", count: 5000))])
    #expect(accents.status == 200)
    #expect(try accents.json()["user"]["name"].string == String(repeating: "é", count: 200))
    let family = String(repeating: "👨‍👩‍👧‍👦", count: 200)
    let cut = try #require(try signIn(request(), ["fullName": .string(family)]).json()["user"]["name"].string)
    #expect(cut.utf8.count <= 1024 && !cut.isEmpty && cut.allSatisfy { $0 == "👨‍👩‍👧‍👦" })
    // One cluster of 4 KiB has no place to cut.
    let cluster = "e" + String(repeating: "\u{301}", count: 2048)
    let none = try signIn(request(), ["fullName": .string(cluster)])
    #expect(none.status == 200)
    #expect((try none.json()["user"]["name"].string ?? "").utf8.count <= 1024)
  }

  @Test("a name is trimmed and loses its control characters")
  func cleanName() throws {
    #expect(try signIn(request(), ["fullName": " \u{0}A\r\nda\u{7F} L\u{9B} "]).json()["user"]["name"] == "Ada L")
  }

  @Test("B49 a name is stored as typed, markup and all")
  func markup() throws {
    let name = "<script>alert(1)</script>"
    #expect(try signIn(request(), ["fullName": .string(name)]).json()["user"]["name"] == .string(name))
  }

  @Test("B50 a relay address is an address like any other")
  func relayAddress() throws {
    let answer = try signIn(
      request(claims: ["email": "x1@privaterelay.appleid.com", "is_private_email": "true"]))
    #expect(answer.status == 200)
    #expect(try answer.json()["user"]["email"] == "x1@privaterelay.appleid.com")
    #expect(!(try answer.json().names.contains("linkSuggestion")))
  }

  // MARK: Concurrency

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
