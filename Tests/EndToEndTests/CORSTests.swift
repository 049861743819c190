import GatewayBase
import GatewayTesting
import Testing

/// Pages of other origins: rows under "CORS", and what the contract says of preflights and refusals.
@Suite("CORS", .onEveryWire) struct CORSTests {
  private let stage: Stage
  private let origin = "https://web.example.com"

  init() throws { stage = try Stage.shared() }

  private func preflight(
    _ target: String, host: String = App.web.host, origin: String, _ fields: [(name: String, value: String)] = []
  ) throws -> HTTPAnswer {
    try stage.gateway.exchange(
      HTTPRequest(
        "OPTIONS", target, host: host,
        fields: [("Origin", origin), ("Access-Control-Request-Method", "POST")] + fields))
  }

  private func grants(_ answer: HTTPAnswer) -> [String] {
    answer.fields.foldedNames.filter { $0.hasPrefix("access-control-allow") }
  }

  @Test("GW-42 a preflight without a token is 204 with what its page may do, and no backend sees it")
  func preflight() throws {
    let marker = Marker()
    let answer = try preflight(
      "/\(marker)", origin: origin, [("Access-Control-Request-Headers", "authorization,x-speed-request-from")])
    #expect(answer.status == 204 && answer.body.isEmpty)
    #expect(answer.fields.all("Access-Control-Allow-Origin") == [origin])
    #expect(answer.fields.all("Access-Control-Allow-Credentials") == ["true"])
    #expect(answer.fields["Access-Control-Allow-Methods"] == "POST")
    #expect(answer.fields["Access-Control-Allow-Headers"] == "authorization, x-speed-request-from")
    #expect(answer.fields["Access-Control-Max-Age"] != nil)
    #expect(answer.fields.all("Vary").contains("Origin"))
    #expect(try preflight("/read", origin: origin).fields["Access-Control-Allow-Methods"] == "GET, HEAD")
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("GW-42 a preflight to an app without a policy is 204 too, and grants nothing")
  func noPolicy() throws {
    let marker = Marker()
    let answer = try preflight("/\(marker)", host: App.alpha.host, origin: origin)
    #expect(answer.status == 204 && grants(answer).isEmpty)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("GW-43 OPTIONS that is no preflight needs a token like everything else")
  func plainOptions() throws {
    for fields in [
      [], [("Origin", origin)], [("Access-Control-Request-Method", "POST")],
      [("Origin", origin), ("Origin", origin), ("Access-Control-Request-Method", "POST")],
      [("Origin", origin), ("Access-Control-Request-Method", "P(ST")],
    ] as [[(name: String, value: String)]] {
      let marker = Marker()
      let answer = try stage.gateway.exchange(
        HTTPRequest("OPTIONS", "/\(marker)", host: App.web.host, fields: fields))
      #expect(answer.status == 401 && answer.errorCode == "missing_token")
      #expect(!stage.backend.received("\(marker)"))
    }
  }

  @Test(
    "GW-45 an origin counts by scheme, host and port, and null never",
    arguments: [
      "null", "https://evilweb.example.com", "https://web.example.com.evil.com", "http://web.example.com",
      "https://web.example.com:8443", "https://example.com", "https://x.web.example.com",
    ])
  func foreign(origin: String) throws {
    #expect(try grants(preflight("/", origin: origin)).isEmpty)
    let answer = try stage.gateway.exchange(
      HTTPRequest("GET", "/public/", host: App.web.host, fields: [("Origin", origin)]))
    #expect(answer.status == 200 && grants(answer).isEmpty && answer.fields.all("Vary") == ["Origin"])
  }

  @Test("GW-46 the gateway's own refusals can be read by the page that asks")
  func refusals() throws {
    let requests: [(HTTPRequest, Int)] = [
      (HTTPRequest("GET", "/", host: App.web.host), 401),
      (HTTPRequest("GET", "/public/%zz", host: App.web.host), 400),
      (HTTPRequest("POST", "/read", host: App.web.host, body: [1]), 405),
      (HTTPRequest("POST", "/public/", host: App.web.host, fields: [("Content-Length", "99999999")]), 413),
    ]
    for (request, status) in requests {
      let answer = try stage.gateway.exchange(request.adding("Origin", origin))
      #expect(answer.status == status)
      #expect(answer.fields.all("Access-Control-Allow-Origin") == [origin], "\(status)")
      #expect(answer.fields.all("Access-Control-Allow-Credentials") == ["true"])
      #expect(answer.fields["Access-Control-Expose-Headers"]?.contains("X-Speed-Error") == true)
      #expect(answer.fields.all("Vary") == ["Origin"])
    }
  }

  @Test("GW-46 so can refusals of a head that is too large, and of a request of the platform API")
  func earlyRefusals() throws {
    let long = String(repeating: "x", count: 9_000)
    let many = (0..<200).map { (name: "x-many-\($0)", value: "1") }
    let large = (0..<4).map { (name: "x-large-\($0)", value: long) }
    let host = App.web.host
    let requests: [(HTTPRequest, Int)] = [
      (HTTPRequest("GET", "/public/?\(long)", host: host), 414),
      (HTTPRequest("GET", "/public/", host: host, fields: many), 431),
      (HTTPRequest("GET", "/public/", host: host, fields: large), 431),
      (HTTPRequest("GET", "/?\(long)", host: "api.localhost"), 414),
      (HTTPRequest("GET", "/%zz", host: "api.localhost"), 400),
      (
        HTTPRequest(
          "POST", "/api/platform/auth/sign-out", host: "api.localhost", body: Array(repeating: 0x61, count: 70_000)),
        413
      ),
    ]
    for (request, status) in requests {
      // In front of what is refused: what comes behind it need not have been read.
      var request = request
      request.fields.insert(("Origin", origin), at: 0)
      let answer = try stage.gateway.exchange(request)
      #expect(answer.status == status && answer.fields["X-Speed-Error"] == answer.errorCode)
      #expect(answer.fields["X-Request-Id"] != nil)
      #expect(answer.fields.all("Access-Control-Allow-Origin") == [origin], "\(status)")
      #expect(answer.fields.all("Vary") == ["Origin"])
    }
  }

  @Test("GW-46 there is one Allow-Origin line, whatever the backend sends")
  func oneLine() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(200, [("Access-Control-Allow-Origin", "*"), ("access-control-allow-origin", "null")])
    }
    var tenant = TenantFile(202, "lines.localhost", bundleIDs: ["com.example.lines"], ports: [backend.port])
    tenant.lines = ["cors: { origins: [\(origin)] }"]
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: stage.sandbox.keysURL, tenants: ["lines.yaml": tenant.yaml]))
    let answer = try gateway.exchange(
      HTTPRequest("GET", "/", host: "lines.localhost", fields: [("Origin", origin)]))
    #expect(answer.fields.all("Access-Control-Allow-Origin") == [origin])
    let other = try gateway.exchange(
      HTTPRequest("GET", "/", host: "lines.localhost", fields: [("Origin", "https://evil.com")]))
    #expect(other.status == 200 && grants(other).isEmpty)
  }

  @Test("a WebSocket's handshake by a foreign page is 403, one by the app's own pages or no page at all passes")
  func webSocket() throws {
    let bearer = try stage.freshBearer(.web)
    func status(_ origins: [String]) throws -> (Int, String?) {
      let handshake = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
      ]
      var request = HTTPRequest.authorized("GET", "/", host: App.web.host, bearer: bearer)
      request.fields += handshake + origins.map { ("Origin", $0) }
      let answer = try stage.gateway.exchange(request)
      return (answer.status, answer.errorCode)
    }
    for origins in [["https://evil.com"], ["null"], ["https://evilweb.localhost"], [origin, origin], [""]] {
      #expect(try status(origins) == (403, "forbidden"), "\(origins)")
    }
    for origins in [[], [origin], ["http://web.localhost"], ["https://web.localhost"]] {
      #expect(try status(origins).0 == 200, "\(origins)")
    }
  }

  @Test("GW-42 an app's page can use the platform API: preflight, answer and refusal")
  func platform() throws {
    let path = "/api/platform/auth/me"
    let answer = try preflight(path, host: "api.localhost", origin: origin)
    #expect(answer.status == 204 && answer.fields["Access-Control-Allow-Origin"] == origin)
    #expect(answer.fields["Access-Control-Allow-Credentials"] == nil)
    let refused = try stage.gateway.exchange(
      HTTPRequest("GET", path, host: "api.localhost", fields: [("Origin", "http://web.localhost:3000")]))
    #expect(refused.status == 401)
    #expect(refused.fields["Access-Control-Allow-Origin"] == "http://web.localhost:3000", "the app's own domain")
    #expect(try grants(preflight(path, host: "api.localhost", origin: "https://evil.com")).isEmpty)
    let plain = try stage.gateway.exchange(
      HTTPRequest("OPTIONS", path, host: "api.localhost", fields: [("Origin", origin)]))
    #expect(plain.status == 405)
  }
}
