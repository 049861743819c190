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
