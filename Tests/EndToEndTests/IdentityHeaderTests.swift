import GatewayBase
import GatewayTesting
import Testing

/// Section 8 on what goes to the backend, section 9 "Header names", and the rows of faults about them.
@Suite("Identity headers", .onEveryWire) struct IdentityHeaderTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private let ours = [
    "X-Speed-App-Id", "X-Speed-User-Id", "X-Speed-App-User-UUID", "X-Speed-Role", "X-Speed-Local-User",
    "X-Speed-Request-From", "X-Speed-Assertion",
  ]

  @Test("the backend gets who asks, each field once, and where the request came from")
  func identity() throws {
    let user = try stage.gateway.me(stage.bearer).json()
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\r\n").fields
    for name in ours + [
      "X-Request-Id", "traceparent", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Via",
    ] {
      #expect(seen.all(name).count == 1, "\(name)")
    }
    #expect(seen["X-Speed-App-Id"] == "\(App.alpha.id)")
    #expect(seen["X-Speed-User-Id"] == user["user"]["id"].string)
    #expect(seen["X-Speed-App-User-UUID"] == user["appUserUUID"].string)
    #expect(seen["X-Speed-Role"] == "app-user")
    #expect(seen["X-Speed-Local-User"] == "true")
    #expect(seen["X-Speed-Request-From"] == "app")
    #expect(seen["X-Forwarded-Proto"] == (WireKind.current == .plain ? "http" : "https"))
    #expect(seen["X-Forwarded-For"] == "127.0.0.1")
    #expect(seen["X-Forwarded-Port"] != nil)
    #expect(seen["Via"] == "\(WireKind.current.isHTTP1 ? "1.1" : "2.0") speed-gateway")
    #expect(seen["Authorization"] == "Bearer \(stage.bearer)")
    let trace = (seen["traceparent"] ?? "").split(separator: "-").map(\.count)
    #expect(trace == [2, 32, 16, 2])
  }

  @Test(
    "GW-17 a client's X_Speed_User never reaches a backend, in any spelling",
    arguments: [
      "X_Speed_User", "X_Speed_User_Id", "X-Speed_User-Id", "x-SPEED-user-id", "X-Speed-User-Id", "X-Speed-App-Id",
      "x_speed_role", "X-Speed-Anything", "X_SPEED_ASSERTION", "X-Speed-App-User-UUID", "X-Speed-Local-User",
    ])
  func forgedIdentity(name: String) throws {
    let forged = "forged-\(UUIDText.random())"
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\(name): \(forged)\r\n\r\n").fields
    #expect(!stage.backend.received(forged))
    for name in ours.map({ $0.lowercased() }) {
      #expect(seen.foldedNames.filter { $0 == name }.count == 1, "\(name)")
    }
  }

  @Test(
    "GW-18 a client's X_Forwarded_For never reaches a backend",
    arguments: ["X_Forwarded_For", "X-Forwarded_For", "x.forwarded.for", "X_Forwarded_Proto", "X_Real_IP", "X-Real-IP"])
  func forgedAddress(name: String) throws {
    let forged = "203.0.113.77"
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\(name): \(forged)\r\n\r\n").fields
    #expect(!seen.lines.contains { $0.value.contains(forged) })
    #expect(seen.foldedNames.filter { $0 == "x-forwarded-for" }.count == 1)
  }

  @Test(
    "GW-19 the spelling with dots is ours too",
    arguments: ["X.Speed.User", "X.Speed.User.Id", "X.Speed-User_Id", "x.speed.assertion"])
  func dots(name: String) throws {
    let forged = "forged-\(UUIDText.random())"
    _ = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\(name): \(forged)\r\n\r\n")
    #expect(!stage.backend.received(forged))
  }

  @Test("GW-21 a user without a name or email adds no field and no placeholder")
  func noPlaceholders() throws {
    let token = try stage.sandbox.token(
      TokenRequest(audience: App.alpha.bundleID, omitted: ["email", "email_verified"]))
    let bearer = try stage.gateway.bearer(app: App.alpha.id, token)
    let seen = try stage.gateway.exchange(.authorized("GET", "/", host: App.alpha.host, bearer: bearer)).echoedFields()
    for line in seen.lines {
      #expect(!line.value.isEmpty, "\(line.name)")
      for placeholder in ["null", "nil", "undefined", "Optional(", "{", "<"] {
        #expect(!line.value.contains(placeholder), "\(line.name)")
      }
    }
  }

  @Test(
    "GW-22 the whole X-Forwarded family of a client is dropped",
    arguments: [
      "X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Forwarded-User", "X-Forwarded-Server", "X-Forwarded-Port",
      "X_Forwarded_Prefix",
    ])
  func forwardedFamily(name: String) throws {
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\(name): /admin\r\n\r\n").fields
    #expect(!seen.lines.contains { $0.value == "/admin" })
  }

  @Test("GW-23 a client can't nominate the gateway's fields away")
  func nomination() throws {
    let named = ours.joined(separator: ", ")
    let seen = try stage.expectForwarded(
      "GET / HTTP/1.1\r\nGOOD\r\nConnection: close, \(named), X-Forwarded-For, Via, Host, X-Request-Id\r\n\r\n"
    ).fields
    for name in ours + ["X-Forwarded-For", "Via", "Host", "X-Request-Id"] {
      #expect(seen.all(name).count == 1, "\(name)")
    }
  }

  @Test("GW-25 X-Forwarded-Uri changes no rule")
  func forwardedURI() throws {
    let marker = Marker()
    let answer = try stage.gateway.exchange(
      HTTPRequest("GET", "/admin/\(marker)", host: App.alpha.host).adding("X-Forwarded-Uri", "/public/")
        .adding("X-Original-URL", "/public/").adding("X-Rewrite-URL", "/public/"))
    #expect(answer.status == 401)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("GW-26 on a public route forged identity is dropped and no assertion takes its place")
  func publicRoute() throws {
    let answer = try stage.gateway.exchange(
      HTTPRequest("GET", "/public/x", host: App.alpha.host).adding("X-Speed-Assertion", "x")
        .adding("X-Speed-User-Id", "1").adding("X_Speed_Role", "admin"))
    #expect(answer.status == 200)
    let seen = try answer.echoedFields()
    for name in ["x-speed-assertion", "x-speed-user-id", "x-speed-role", "x-speed-app-user-uuid", "x-speed-local-user"]
    {
      #expect(!seen.foldedNames.contains(name), "\(name)")
    }
    #expect(seen["X-Speed-App-Id"] == "\(App.alpha.id)")
  }

  @Test("GW-27 X-Forwarded-For of an untrusted peer is replaced, not extended")
  func replaced() throws {
    let seen = try stage.expectForwarded(
      "GET / HTTP/1.1\r\nGOOD\r\nX-Forwarded-For: ::1\r\nX-Forwarded-For: 1.1.1.1\r\n\r\n"
    ).fields
    #expect(seen.all("X-Forwarded-For") == ["127.0.0.1"])
  }

  @Test("GW-29 every request of a user carries an assertion that is signed, short-lived and says the same")
  func assertion() throws {
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\r\n").fields
    let assertion = try JWTText(seen["X-Speed-Assertion"] ?? "")
    #expect(assertion.header["alg"].string == "ES256")
    #expect(assertion.header["kid"].string != nil)
    let issued = try #require(assertion.claims["iat"].integer)
    let ends = try #require(assertion.claims["exp"].integer)
    #expect(ends - issued <= 60 && ends > SystemClock().now.seconds)
    #expect(assertion.claims["sub"].string == seen["X-Speed-User-Id"])
    #expect(assertion.claims["uuid"].string == seen["X-Speed-App-User-UUID"])
    // It proves a request, it is no bearer.
    let answer = try stage.gateway.exchange(
      .authorized("GET", "/", host: App.alpha.host, bearer: seen["X-Speed-Assertion"] ?? ""))
    #expect(answer.status == 401)
  }

  @Test("GW-69 the assertion stays under 1 kB and all that the gateway adds under 2 kB")
  func size() throws {
    let seen = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\r\n").fields
    #expect((seen["X-Speed-Assertion"] ?? "").utf8.count < 1000)
    let sent = ["authorization", "x-mark", "host"]
    let added = seen.lines.filter { !sent.contains($0.name.lowercased()) }
    #expect(added.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } < 2000)
  }

  @Test("forwardToken: false keeps the bearer here")
  func forwardToken() throws {
    let seen = try stage.send("GET", "/tokenless/x").echoedFields()
    #expect(seen["Authorization"] == nil)
    #expect(seen["X-Speed-Assertion"] != nil)
  }

  @Test("an X-Request-Id of the answer is the one that the backend saw")
  func requestID() throws {
    let answer = try stage.send("GET", "/")
    let seen = try answer.echoedFields()
    #expect(seen["X-Request-Id"] != nil)
    if let id = answer.fields["X-Request-Id"] { #expect(id == seen["X-Request-Id"]) }
  }

  @Test("ordinary fields pass as they are, repeats and order kept")
  func ordinary() throws {
    let seen = try stage.expectForwarded(
      "GET / HTTP/1.1\r\nGOOD\r\nX-A: 1\r\nCookie: a=b; c=d\r\nx-a: 2\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-High: \u{FC}\r\n\r\n"
    ).fields
    #expect(seen.all("X-A") == ["1", "2"])
    #expect(seen["Cookie"] == "a=b; c=d")
    #expect(seen["X-Empty"] == "")
    #expect(seen["X-Tab"] == "a\tb")
    #expect(seen["X-High"] == "\u{FC}")
  }
}
