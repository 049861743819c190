import GatewayBase
import GatewayCrypto
import GatewayProxy
import Testing

@Suite("Apple's token services of the sandbox") struct AppleServiceTests {
  private static let issuer = "https://appleid.apple.com"
  private let now = SandboxFixture.now

  /// A secret as a developer's server mints it.
  private func secret(_ changes: [String: JSONValue] = [:], kid: String = "KEY1234567", key: SigningKey? = nil) throws
    -> String
  {
    let claims: [String: JSONValue] = [
      "iss": "TEAM123456", "sub": "com.example.notes", "aud": .string(Self.issuer), "iat": .integer(now - 60),
      "exp": .integer(now + 240),
    ]
    let merged = claims.merging(changes) { $1 }
    return try JWT.sign(claims: JSONValue.object(merged).jsonText, kid: kid, key: key ?? SigningKey.generate())
  }

  private func form(_ fields: [(String, String)]) -> String {
    fields.map { PercentEncoding.encode($0) + "=" + PercentEncoding.encode($1) }.joined(separator: "&")
  }

  private func exchange(
    _ sandbox: SandboxFixture, code: String, client: String = "com.example.notes", secret: String? = nil,
    redirectURI: String? = nil
  ) async throws -> ServiceResponse {
    var fields = [
      ("client_id", client), ("client_secret", try secret ?? self.secret()), ("grant_type", "authorization_code"),
      ("code", code),
    ]
    if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
    return try await sandbox.post("/auth/token", form(fields))
  }

  private func code(_ sandbox: SandboxFixture, _ body: String = #"{"code":true}"#) async throws -> String {
    let answer = try await sandbox.post("/sandbox/identity-token", body)
    return try #require(answer.json["authorizationCode"]?.string)
  }

  @Test(
    "a notification's time out of every range is 400",
    arguments: [Int64.min, -1_000_000_001, 1_000_000_001, .max])
  func eventTimes(offset: Int64) async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    #expect(try await sandbox.post("/sandbox/notification", "{\"eventTimeOffset\":\(offset)}").status == 400)
  }

  @Test("a code is bound to its token by c_hash, good once, and for its client alone")
  func codes() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    let answer = try await sandbox.post("/sandbox/identity-token", #"{"code":true,"sub":"000001.a.0001"}"#)
    let code = try #require(answer.json["authorizationCode"]?.string)
    let token = try SignedToken(answer.json)
    #expect(token.claims["c_hash"]?.string == Base64URL.encode(Array(Digest.sha256(Array(code.utf8)).prefix(16))))
    #expect(
      try await exchange(sandbox, code: code, client: "com.example.other", secret: secret(["sub": "com.example.other"]))
        .json["error"] == "invalid_grant")
    let tokens = try await exchange(sandbox, code: code)
    #expect(tokens.status == 200)
    #expect(tokens.json["token_type"] == "Bearer" && tokens.json["expires_in"] == .integer(3600))
    let idToken = try #require(tokens.json["id_token"]?.string.flatMap { CompactJWS(parsing: Array($0.utf8)) })
    #expect(try JSONValue(parsing: idToken.payload)["sub"] == "000001.a.0001")
    #expect(try await exchange(sandbox, code: code).json["error"] == "invalid_grant")
  }

  @Test("a code of the web wants its redirect_uri, one of an app none")
  func redirects() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    let web = try await code(sandbox, #"{"code":true,"redirectURI":"https://dash.example/cb"}"#)
    #expect(try await exchange(sandbox, code: web).json["error"] == "invalid_client")
    #expect(try await exchange(sandbox, code: web, redirectURI: "https://dash.example/cb").status == 200)
    let native = try await code(sandbox)
    #expect(
      try await exchange(sandbox, code: native, redirectURI: "https://dash.example/cb").json["error"]
        == "invalid_client")
  }

  @Test("a refresh token stands until it is revoked or its user withdraws; unknown ones are revoked with 200 too")
  func refresh() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    func check(_ token: String) async throws -> ServiceResponse {
      try await sandbox.post(
        "/auth/token",
        form([
          ("client_id", "com.example.notes"), ("client_secret", try secret()), ("grant_type", "refresh_token"),
          ("refresh_token", token),
        ]))
    }
    func revoke(_ token: String) async throws -> ServiceResponse {
      try await sandbox.post(
        "/auth/revoke",
        form([
          ("client_id", "com.example.notes"), ("client_secret", try secret()), ("token", token),
          ("token_type_hint", "refresh_token"),
        ]))
    }
    let first = try #require(try await exchange(sandbox, code: try await code(sandbox)).json["refresh_token"]?.string)
    #expect(try await check(first).status == 200)
    #expect(try await check(first).json["refresh_token"] == nil)
    let revoked = try await revoke(first)
    #expect(revoked.status == 200 && revoked.body.isEmpty)
    #expect(try await check(first).json["error"] == "invalid_grant")
    #expect(try await revoke("unknown").status == 200)
    let second = try #require(
      try await exchange(sandbox, code: try await code(sandbox, #"{"code":true,"sub":"u"}"#)).json["refresh_token"]?
        .string)
    _ = try await sandbox.post("/sandbox/withdraw", #"{"sub":"u"}"#)
    #expect(try await check(second).json["error"] == "invalid_grant")
    #expect(try await sandbox.get("/sandbox/grants").json["grants"]?.array?.count == 2)
  }

  @Test("B38 a secret that Apple would refuse is invalid_client")
  func secrets() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    let made = try await sandbox.post("/sandbox/developer-key").json
    let kid = try #require(made["keyId"]?.string)
    let key = try SigningKey(pem: Secret(try #require(made["privateKey"]?.string).utf8))
    for bad in [
      "garbage", try secret(["iat": .integer(now + 1)]), try secret(["exp": .integer(now)]),
      try secret(["exp": .integer(now + 15_777_001)]), try secret(["sub": "com.example.other"]),
      try secret(["aud": "https://x.example"]),
      try secret(["iss": .null]), try secret(kid: kid),
    ] {
      let answer = try await exchange(sandbox, code: "c", secret: bad)
      #expect(answer.status == 400 && answer.json["error"] == "invalid_client")
    }
    #expect(
      try await exchange(sandbox, code: try await code(sandbox), secret: secret(kid: kid, key: key)).status == 200)
  }

  @Test("a switched failure is what a door answers, and calls are recorded without the secret's signature")
  func failures() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    for (name, status, error) in [
      ("unavailable", 503, nil), ("invalid_client", 400, "invalid_client"), ("html", 200, nil),
    ]
      as [(String, UInt16, String?)]
    {
      #expect(try await sandbox.post("/sandbox/failures", "{\"token\":\"\(name)\"}").json["token"]?.string == name)
      let answer = try await exchange(sandbox, code: "c")
      #expect(answer.status == status && answer.json["error"]?.string == error)
    }
    #expect(try await sandbox.post("/sandbox/failures", "{}").status == 400)
    #expect(try await sandbox.post("/sandbox/failures", #"{"token":"nonsense"}"#).status == 400)
    let calls = try #require(try await sandbox.get("/sandbox/calls").json["calls"]?.array)
    #expect(calls.count == 3)
    #expect(calls[0]["fields"]?["client_secret"]?.array?[1]["sub"] == "com.example.notes")
    #expect(try await sandbox.get("/sandbox/counters").json["token"] == .integer(3))
    _ = try await sandbox.post("/sandbox/reset")
    #expect(try await exchange(sandbox, code: try await code(sandbox)).status == 200)
  }

  @Test("a user moves to another team under one id, and comes out as another user there")
  func migration() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    func move(_ fields: [(String, String)]) async throws -> ServiceResponse {
      try await sandbox.post(
        "/auth/usermigrationinfo", form([("client_id", "com.example.notes"), ("client_secret", try secret())] + fields))
    }
    let given = try await move([("sub", "000001.abc.0001"), ("target", "TEAM999999")]).json["transfer_sub"]?.string
    #expect(
      try await move([("sub", "000001.abc.0001"), ("target", "TEAM999999")]).json["transfer_sub"]?.string == given)
    let taken = try await move([("transfer_sub", try #require(given))])
    #expect(taken.json["sub"] == "900000.abc.0001" && taken.json["is_private_email"] == "true")
    _ = try await sandbox.post("/sandbox/failures", #"{"stuckSubjects":["000001.abc.0001"]}"#)
    #expect(try await move([("sub", "000001.abc.0001"), ("target", "T")]).json["error"] == "invalid_request")
    #expect(try await move([("transfer_sub", "unknown")]).json["error"] == "invalid_request")
  }

  @Test("the page in a browser posts a token, a code and a name back, or the user's no")
  func page() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    let query = form([
      ("client_id", "com.example.notes.web"), ("redirect_uri", "https://dash.example/cb"),
      ("response_mode", "form_post"),
      ("state", "a\"b"), ("nonce", "n1"), ("sub", "000001.w.0001"),
    ])
    let page = String(decoding: try await sandbox.get("/auth/authorize", query: query).body, as: UTF8.self)
    let token = try #require(page.firstMatch(of: /name="id_token" value="([^"]+)"/)?.1)
    let claims = try JSONValue(parsing: try #require(CompactJWS(parsing: Array(token.utf8))).payload)
    #expect(claims["nonce"] == "n1" && claims["aud"] == "com.example.notes.web" && claims["sub"] == "000001.w.0001")
    #expect(page.contains("value=\"a&quot;b\"") && page.contains("user_cancelled_authorize"))
    let code = String(try #require(page.firstMatch(of: /name="code" value="([^"]+)"/)?.1))
    let web = try secret(["sub": "com.example.notes.web"])
    let exchanged = try await exchange(
      sandbox, code: code, client: "com.example.notes.web", secret: web, redirectURI: "https://dash.example/cb")
    #expect(exchanged.status == 200)
    #expect(try await sandbox.get("/auth/authorize", query: "client_id=x").status == 400)
  }

  @Test("a notification is signed by Apple's keys, with its events in the form asked for")
  func notifications() async throws {
    let sandbox = try await SandboxFixture(issuer: Self.issuer)
    for form in ["string", "object", "array"] {
      let answer = try await sandbox.post(
        "/sandbox/notification", "{\"type\":\"account-delete\",\"sub\":\"u\",\"form\":\"\(form)\"}")
      let jws = try #require(answer.json["payload"]?.string.flatMap { CompactJWS(parsing: Array($0.utf8)) })
      let set = try await sandbox.keys()
      #expect(jws.kid.flatMap { set[$0] }.map(jws.isSigned(by:)) == true)
      let claims = try JSONValue(parsing: jws.payload)
      #expect(claims["iss"]?.string == Self.issuer && claims["exp"] == .integer(now + 86_400))
      let events = try #require(claims["events"])
      let event =
        switch events {
        case .string(let text): try JSONValue(parsing: Array(text.utf8))
        case .array(let list): list[0]
        default: events
        }
      #expect(event["type"] == "account-delete" && event["sub"] == "u" && event["event_time"] == .integer(now * 1000))
    }
    #expect(try await sandbox.post("/sandbox/notification", #"{"url":"https://example.org/x"}"#).status == 400)
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}
