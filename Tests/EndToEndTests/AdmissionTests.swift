import GatewayBase
import GatewayTesting
import Testing

/// Section 8's table: who may pass on a route with `auth: required`.
@Suite("Admission", .onEveryWire) struct AdmissionTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  /// Sends a request with these fields and no others, expects a refusal and no byte at the backend.
  private func expect(
    _ status: Int, _ code: String, target: String = "/", _ fields: [(name: String, value: String)],
    location: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    let marker = Marker()
    let answer = try stage.gateway.exchange(
      HTTPRequest("GET", target, host: App.alpha.host, fields: fields + [("X-Mark", "\(marker)")]))
    #expect(answer.status == status, sourceLocation: location)
    #expect(answer.errorCode == code, sourceLocation: location)
    #expect(answer.fields["X-Speed-Error"] == code, sourceLocation: location)
    #expect(!stage.backend.received("\(marker)"), sourceLocation: location)
    return answer
  }

  private func bearer(_ value: String) -> (name: String, value: String) { ("Authorization", value) }
  private let app = (name: "X-Speed-Request-From", value: "app")

  @Test("no Authorization is 401 missing_token with a plain challenge")
  func missing() throws {
    let answer = try expect(401, "missing_token", [app])
    #expect(answer.fields.all("WWW-Authenticate") == ["Bearer"])
    let json = try answer.json()
    #expect(json.names == ["error", "message", "requestId"])
    #expect(json["requestId"].string == answer.fields["X-Request-Id"])
    #expect(answer.fields["Content-Type"] == "application/json")
  }

  @Test("a bearer that is no token of this app is 401 invalid_token with its challenge")
  func invalid() throws {
    let good = try JWTText(stage.bearer)
    var changed = good
    changed.claims = good.claims.with("sub", "someone-else")
    var unsigned = good
    unsigned.header = good.header.with("alg", "none")
    unsigned.signature = []
    var hashed = good
    hashed.header = good.header.with("alg", "HS256")
    let foreign = try stage.freshBearer(.beta)
    let values = [
      "Bearer  \(stage.bearer)", "Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", "Bearer ..", "Basic YTpi",
      "Bearer \(changed.text)", "Bearer \(unsigned.text)", "Bearer \(hashed.text)", "Bearer \(stage.bearer)x",
      "Bearer \(stage.bearer.dropLast())", "Bearer \(stage.bearer)=", "Bearer \(foreign)", "Token \(stage.bearer)",
      "Bearer \(String(repeating: "a", count: 5000))", "\(stage.bearer)",
    ]
    for (index, value) in values.enumerated() {
      let answer = try expect(401, "invalid_token", [bearer(value), app])
      #expect(answer.fields.all("WWW-Authenticate") == ["Bearer error=\"invalid_token\""], "value \(index)")
    }
  }

  @Test("every bit of the signature counts")
  func signatureBits() throws {
    let good = try JWTText(stage.bearer)
    for index in stride(from: 0, to: good.signature.count, by: 7) {
      var forged = good
      forged.signature[index] ^= 1
      _ = try expect(401, "invalid_token", [bearer("Bearer \(forged.text)"), app])
    }
  }

  @Test("two Authorization headers, or two values in one, are 400 and close the connection")
  func twice() throws {
    let good = "Bearer \(stage.bearer)"
    for fields in [
      [bearer(good), bearer(good), app], [bearer("\(good),\(stage.bearer)"), app], [bearer("\(good), \(good)"), app],
    ] {
      let answer = try expect(400, "invalid_request", fields)
      if WireKind.current.isHTTP1 { #expect(answer.fields["Connection"] == "close") }
    }
  }

  @Test("GW-109 a token in the query is 400, in any spelling, and never in the log")
  func queryToken() throws {
    for query in [
      "access_token=\(stage.bearer)", "a=b&access_token=x", "access%5Ftoken=x", "access_token", "a&%61ccess_token=1",
    ] {
      _ = try expect(400, "invalid_request", target: "/?\(query)", [bearer("Bearer \(stage.bearer)"), app])
    }
    // Other parameters are the app's own business.
    #expect(try stage.send("GET", "/?xaccess_token=1&q=access_token").status == 200)
    #expect(!stage.gateway.log.contains(stage.bearer))
    let secret = try JWTText(stage.bearer)
    #expect(!stage.gateway.log.contains(Base64URL.encode(secret.signature)))
  }

  @Test("GW-109 a token in the query of a platform call is 400, whatever else is sent")
  func platformQueryToken() throws {
    let good = bearer("Bearer \(stage.bearer)")
    for (method, call) in [("GET", "me"), ("POST", "sign-out")] {
      for fields in [[], [good]] {
        let answer = try stage.gateway.exchange(
          HTTPRequest(
            method, "/api/platform/auth/\(call)?a=b&access%5Ftoken=x", host: "api.localhost",
            fields: fields + [("Content-Length", "0")]))
        #expect(answer.status == 400 && answer.errorCode == "invalid_request")
      }
    }
    #expect(try stage.gateway.me(stage.bearer).status == 200, "nothing was signed out")
  }

  @Test("a query token on a public route is the app's own business")
  func publicQuery() throws {
    let answer = try stage.gateway.exchange(HTTPRequest("GET", "/public/?access_token=x", host: App.alpha.host))
    #expect(answer.status == 200)
  }

  @Test("X-Speed-Request-From must be there, once, with a value that the app allows")
  func requestFrom() throws {
    let good = bearer("Bearer \(stage.bearer)")
    _ = try expect(400, "invalid_request_from", [good])
    for value in ["", "App", "server", "app, web", "app ,"] {
      _ = try expect(400, "invalid_request_from", [good, ("X-Speed-Request-From", value)])
    }
    let twice = try stage.gateway.exchange(
      HTTPRequest("GET", "/", host: App.alpha.host, fields: [good, app, ("X-Speed-Request-From", "web")]))
    #expect(twice.status == 400)
    let seen = try stage.gateway.exchange(
      HTTPRequest("GET", "/", host: App.alpha.host, fields: [good, ("x-speed-request-from", "web")]))
    #expect(try seen.echoedFields()["X-Speed-Request-From"] == "web")
  }

  @Test("an app's own list of origins holds instead of the usual one")
  func ownOrigins() throws {
    let bearer = try stage.freshBearer(.lax)
    var request = HTTPRequest.authorized("GET", "/", host: App.lax.host, bearer: bearer)
    #expect(try stage.gateway.exchange(request).status == 200)
    request.fields = [("Host", App.lax.host), ("Authorization", "Bearer \(bearer)"), ("X-Speed-Request-From", "web")]
    #expect(try stage.gateway.exchange(request).errorCode == "invalid_request_from")
  }

  @Test("the token is judged before X-Speed-Request-From")
  func order() throws {
    _ = try expect(401, "missing_token", [])
    _ = try expect(401, "invalid_token", [bearer("Bearer x")])
  }

  @Test("the scheme's name has no case, one space follows it")
  func scheme() throws {
    for name in ["bearer", "BEARER", "Bearer"] {
      let answer = try stage.gateway.exchange(
        HTTPRequest("GET", "/", host: App.alpha.host, fields: [bearer("\(name) \(stage.bearer)"), app]))
      #expect(answer.status == 200, "\(name)")
    }
  }

  @Test("GW-43 OPTIONS without Origin needs a token like everything else")
  func options() throws {
    let marker = Marker()
    let answer = try stage.gateway.exchange(HTTPRequest("OPTIONS", "/private/\(marker)", host: App.alpha.host))
    #expect(answer.status == 401)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("GW-47 an upgrade to a WebSocket without a token is 401")
  func upgradeWithoutToken() throws {
    let marker = Marker()
    let answer = try stage.gateway.exchange(
      HTTPRequest(
        "GET", "/\(marker)", host: App.alpha.host,
        fields: [
          ("Connection", "keep-alive, Upgrade"), ("Upgrade", "WebSocket"), ("Sec-WebSocket-Version", "13"),
          ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]))
    #expect(answer.status == 401)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("many requests with one token on many connections all pass")
  func remembered() throws {
    let stage = stage
    let statuses = try Parallel.run(16) { _ in
      let connection = try stage.gateway.connect()
      defer { connection.close() }
      return try (0..<20).map { _ in
        try connection.exchange(.authorized("GET", "/", host: App.alpha.host, bearer: stage.bearer)).status
      }
    }
    #expect(statuses.allSatisfy { $0.allSatisfy { $0 == 200 } })
  }
}
