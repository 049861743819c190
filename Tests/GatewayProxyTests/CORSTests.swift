import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

/// What pages of other origins are told, on real sockets.
@Suite("Pages of other origins") struct CORSTests {
  private let backend: ScriptedBackend
  private let proxy: ProxyFixture

  init() throws {
    backend = try ScriptedBackend { exchange in
      try exchange.reply(
        200,
        [
          ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Credentials", "true"),
          ("Access-Control-Expose-Headers", "X-Total"), ("X-Total", "3"),
        ])
    }
    proxy = try ProxyFixture([backend]) {
      $0.cors = CORSPolicy(.listed(["https://good.com"]), credentials: false)
    }
  }

  private func preflight(_ target: String, origin: String = "https://good.com") -> HTTPRequest {
    HTTPRequest(
      "OPTIONS", target, host: "app.test",
      fields: [("Origin", origin), ("Access-Control-Request-Method", "PUT")])
  }

  @Test("GW-42 a preflight is answered before a token is asked for, and never reaches the backend")
  func preflight() throws {
    for target in ["/private/a", "/", "/limited/"] {
      let answer = try proxy.exchange(preflight(target))
      #expect(answer.status == 204)
      #expect(answer.fields.all("Access-Control-Allow-Origin") == ["https://good.com"])
      #expect(answer.fields["Access-Control-Allow-Methods"] == "PUT")
      #expect(answer.fields.all("Vary").contains("Origin"))
      #expect(answer.fields["Content-Length"] == nil && answer.fields["X-Request-Id"] != nil)
    }
    let foreign = try proxy.exchange(preflight("/private/a", origin: "https://evilgood.com"))
    #expect(foreign.status == 204)
    #expect(!foreign.fields.foldedNames.contains { $0.hasPrefix("access-control-") })
    #expect(backend.requests.isEmpty)
  }

  @Test("GW-43 OPTIONS that is no preflight is a request like others")
  func plainOptions() throws {
    #expect(try proxy.exchange(HTTPRequest("OPTIONS", "/private/", host: "app.test")).status == 401)
    #expect(
      try proxy.exchange(
        HTTPRequest("OPTIONS", "/private/", host: "app.test", fields: [("Origin", "https://good.com")])
      ).status == 401)
    #expect(try proxy.exchange(HTTPRequest("OPTIONS", "/", host: "app.test")).status == 200)
  }

  @Test("GW-46 refusals carry what the page's browser needs to show them, on every step")
  func refusals() throws {
    var requests = [
      HTTPRequest.get("/private/"), .get("/private/").adding("Authorization", "Bearer bad"),
      .get("/private/?access_token=x"), .get("/%zz"), .post("/", body: []).adding("Content-Length", "999999999"),
      .get("/private/").adding("Authorization", "Bearer \(StubAuthority.goodToken)"),
    ]
    requests = requests.map { $0.adding("Origin", "https://good.com") }
    for (request, status) in zip(requests, [401, 401, 400, 400, 413, 400]) {
      let answer = try proxy.exchange(request)
      #expect(answer.status == status)
      #expect(answer.fields.all("Access-Control-Allow-Origin") == ["https://good.com"], "\(status)")
      #expect(answer.fields["Access-Control-Expose-Headers"]?.contains("X-Speed-Error") == true)
      #expect(answer.fields.all("Vary") == ["Origin"])
    }
    let foreign = try proxy.exchange(HTTPRequest.get("/private/").adding("Origin", "null"))
    #expect(foreign.fields["Access-Control-Allow-Origin"] == nil && foreign.fields.all("Vary") == ["Origin"])
  }

  @Test("GW-46 refusals of a head that is no request carry it too, where it names the app and the page")
  func refusedHeads() throws {
    let good = "Host: app.test\r\nOrigin: https://good.com\r\n"
    let cases: [(head: String, status: Int)] = [
      ("GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\n\(good)\r\n", 414),
      ("GET / HTTP/1.1\r\n\(good)\(String(repeating: "a: b\r\n", count: 200))\r\n", 431),
      ("GET / HTTP/1.1\r\n\(good)X: \(String(repeating: "x", count: 33_000))\r\n\r\n", 431),
      ("GET / HTTP/1.1\r\n\(good)X: \(String(repeating: "x", count: 40_000))", 431),
      ("GET / HTTP/1.1\r\n\(good)X y: 1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\(good)X: 1\n\r\n", 400),
      ("GET / HTTP/2.0\r\n\(good)\r\n", 400), ("GET / HTTP/1.1\r\n\(good)Content-Length: x\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\n\(good)Transfer-Encoding: gzip\r\n\r\n", 501),
    ]
    for (head, status) in cases {
      let connection = try proxy.connect()
      try connection.send(head)
      let answer = try connection.receiveAnswer()
      #expect(answer.status == status && answer.fields["X-Speed-Error"] == answer.errorCode)
      #expect(answer.fields["X-Request-Id"] != nil && answer.fields.all("Vary") == ["Origin"])
      #expect(answer.fields.all("Access-Control-Allow-Origin") == ["https://good.com"], "\(head.prefix(200))")
      connection.close()
    }
  }

  @Test("GW-45 a head that is refused grants nothing to a foreign page, a doubtful one, or at a host that is no app's")
  func refusedForeign() throws {
    let long = "GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\n"
    for (fields, vary) in [
      ("Host: app.test\r\nOrigin: https://evil.com\r\n", ["Origin"]),
      ("Host: app.test\r\nOrigin: https://good.com\r\nOrigin: https://good.com\r\n", ["Origin"]),
      ("Host: app.test\r\n", ["Origin"]),
      ("Host: app.test\r\nHost: app.test\r\nOrigin: https://good.com\r\n", []),
      ("Host: other.test\r\nOrigin: https://good.com\r\n", []), ("Origin: https://good.com\r\n", []),
    ] {
      let connection = try proxy.connect()
      try connection.send("\(long)\(fields)\r\n")
      let answer = try connection.receiveAnswer()
      #expect(answer.status == 414 && answer.fields.all("Vary") == vary)
      #expect(!answer.fields.foldedNames.contains { $0.hasPrefix("access-control-") }, "\(fields)")
      connection.close()
    }
  }

  @Test("GW-46 a head and a body that come too slowly are refused so that the page can read it")
  func slow() throws {
    let proxy = try ProxyFixture([ScriptedBackend()]) {
      $0.cors = CORSPolicy(.listed(["https://good.com"]), credentials: false)
      ($0.limits.head, $0.limits.progress) = (100, 100)
    }
    for rest in ["X-Slow: ", "Content-Length: 5\r\n\r\nab"] {
      let connection = try proxy.connect()
      try connection.send("POST / HTTP/1.1\r\nHost: app.test\r\nOrigin: https://good.com\r\n\(rest)")
      let answer = try connection.receiveAnswer()
      #expect(answer.status == 408 && answer.fields["X-Speed-Error"] == "request_timeout")
      #expect(answer.fields.all("Access-Control-Allow-Origin") == ["https://good.com"])
      connection.close()
    }
  }

  @Test("GW-46 what is refused in a service's place says what the service says of the page that asks")
  func service() throws {
    let proxy = try ProxyFixture([backend]) {
      $0.service = OriginService()
      $0.limits.progress = 100
    }
    let head = "POST / HTTP/1.1\r\nHost: api.test\r\nOrigin: https://good.com\r\n"
    for (request, status) in [
      ("\(head)Content-Length: 70000\r\n\r\n", 413),
      ("\(head)Transfer-Encoding: chunked\r\n\r\n11170\r\n\(String(repeating: "x", count: 70_000))", 413),
      ("\(head)Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400), ("\(head)Content-Length: 5\r\n\r\nab", 408),
      (head.replacing("POST /", with: "POST /%zz") + "\r\n", 400),
      (head.replacing("POST /", with: "POST /\(String(repeating: "x", count: 9_000))") + "\r\n", 414),
    ] {
      let connection = try proxy.connect()
      connection.sendIfPossible(Array(request.utf8))
      let answer = try connection.receiveAnswer()
      #expect(answer.status == status)
      #expect(answer.fields.all("X-Origin") == ["https://good.com"], "\(status)")
      connection.close()
    }
    let answer = try proxy.exchange(
      HTTPRequest("POST", "/", host: "api.test", fields: [("Content-Length", "70000")]))
    #expect(answer.status == 413 && answer.fields.all("X-Origin") == ["-"])
  }

  @Test("GW-46 a backend's own word on origins gives way to the app's policy")
  func backendsWord() throws {
    let answer = try proxy.exchange(HTTPRequest.get().adding("Origin", "https://good.com"))
    #expect(answer.fields.all("Access-Control-Allow-Origin") == ["https://good.com"])
    #expect(answer.fields["Access-Control-Allow-Credentials"] == nil)
    #expect(answer.fields.all("Access-Control-Expose-Headers").contains("X-Total"))
    #expect(answer.fields["X-Total"] == "3")
    for request in [HTTPRequest.get(), .get().adding("Origin", "https://evil.com")] {
      let other = try proxy.exchange(request)
      #expect(other.status == 200 && other.fields.all("Vary") == ["Origin"])
      #expect(!other.fields.foldedNames.contains { $0.hasPrefix("access-control-") })
    }
  }

  @Test("where the app has no policy the backend's word stands, and preflights are still the gateway's to answer")
  func noPolicy() throws {
    let proxy = try ProxyFixture([backend])
    let answer = try proxy.exchange(HTTPRequest.get().adding("Origin", "https://evil.com"))
    #expect(answer.fields["Access-Control-Allow-Origin"] == "*" && answer.fields["Vary"] == nil)
    let seen = backend.requests.count
    let preflight = try proxy.exchange(preflight("/"))
    #expect(preflight.status == 204 && backend.requests.count == seen)
    #expect(!preflight.fields.foldedNames.contains { $0.hasPrefix("access-control-") })
    let refused = try proxy.exchange(HTTPRequest.get("/private/").adding("Origin", "https://evil.com"))
    #expect(refused.status == 401 && refused.fields["Access-Control-Allow-Origin"] == nil)
  }
}

/// Says of a page what its origin is.
private struct OriginService: Service {
  func respond(to request: ServiceRequest) async -> ServiceResponse { ServiceResponse(204) }

  func fields(forOrigin origin: String?) -> [ServiceField] { [ServiceField("X-Origin", origin ?? "-")] }
}
