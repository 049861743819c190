import GatewayBase
import GatewayHTTP
import Testing

@testable import GatewayProxy

@Suite("Origins") struct CORSPolicyTests {
  private let policy = CORSPolicy(
    .listed(["https://good.com", "https://good.com:8443", "http://127.0.0.1:3000"]), credentials: true)

  private func grant(_ origin: String, _ policy: CORSPolicy) -> Int? { policy.grant(for: Array(origin.utf8).span) }
  private func text(_ policy: CORSPolicy, _ decision: CORSDecision) -> String {
    String(decoding: policy.fields(decision), as: UTF8.self)
  }

  @Test("an origin that is listed is granted as itself")
  func listed() {
    #expect(grant("https://good.com", policy) == 0)
    #expect(grant("https://good.com:8443", policy) == 1)
    #expect(grant("http://127.0.0.1:3000", policy) == 2)
    #expect(
      text(policy, .granted(1))
        == "Access-Control-Allow-Origin: https://good.com:8443\r\nAccess-Control-Allow-Credentials: true\r\n"
        + "Access-Control-Expose-Headers: X-Request-Id, X-Speed-Error, Retry-After, RateLimit, RateLimit-Policy\r\n"
        + "Vary: Origin\r\n")
  }

  @Test(
    "GW-45 an origin counts whole: scheme, host and port",
    arguments: [
      "null", "", "https://evilgood.com", "https://good.com.evil.com", "https://good.com:443", "http://good.com",
      "https://good.co", "https://good.com/", "https://GOOD.com", "good.com", "https://x.good.com", "*",
      "https://good.com,https://good.com", " https://good.com",
    ])
  func foreign(origin: String) { #expect(grant(origin, policy) == nil) }

  @Test("GW-45 where any origin is allowed, null still is not")
  func any() {
    let policy = CORSPolicy(.any, credentials: false)
    #expect(grant("https://whoever.example", policy) == 0)
    #expect(grant("null", policy) == nil && grant("", policy) == nil)
    #expect(text(policy, .granted(0)).hasPrefix("Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: "))
  }

  @Test(
    "an answer that grants nothing says that it differs by origin, so that no cache gives it to one that is granted")
  func vary() {
    #expect(text(policy, .refused) == "Vary: Origin\r\n")
    #expect(text(policy, .granted(99)) == "Vary: Origin\r\n")
    #expect(text(policy, .none) == "")
  }

  @Test(
    "what follows from one list holds for WebSockets too, and so do the app's own domains on the port that was asked")
  func webSocket() {
    let tenant = Tenant(
      appID: 1, hosts: [HostName(literal: "app.test"), HostName(literal: "own.test")], requestFrom: [],
      hasOpaquePaths: false, allowsMethodOverride: false, routes: RouteTable([]), backends: [],
      cors: policy)
    func allows(_ origin: String, port: UInt16? = nil) -> Bool {
      tenant.allowsWebSocket(from: Array(origin.utf8).span, port: port)
    }
    for origin in ["https://good.com", "https://app.test", "http://own.test"] { #expect(allows(origin), "\(origin)") }
    for origin in [
      "https://evil.com", "null", "", "https://app.test:8443", "https://evilapp.test", "https://app.test/",
      "https://app.test.evil.com", "https://APP.test", "ftp://app.test", "https://app.test:443",
    ] {
      #expect(!allows(origin), "\(origin)")
    }
    #expect(allows("http://app.test:8080", port: 8080) && !allows("http://app.test", port: 8080))
    #expect(allows("https://app.test", port: 443))
  }
}

@Suite("Preflights") struct CORSPreflightTests {
  private func isOne(_ method: HTTPMethod = .options, _ lines: String...) throws -> Bool {
    try withHead(lines) { CORSPreflight.isOne(method, $0, $1) }
  }

  private func withHead<Result>(
    _ lines: [String], _ body: (Span<UInt8>, borrowing FieldTable) -> Result
  ) throws -> Result {
    let head = Array(("OPTIONS / HTTP/1.1\r\nHost: a\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n").utf8)
    var fields = FieldTable()
    _ = try RequestParser.parse(head.span, into: &fields)
    return body(head.span, fields)
  }

  private let origin = "Origin: https://good.com"
  private let asked = "Access-Control-Request-Method: PUT"

  @Test("GW-43 only OPTIONS with one origin and one method that is asked for is one")
  func kinds() throws {
    #expect(try isOne(.options, origin, asked))
    #expect(try !isOne(.options, origin))
    #expect(try !isOne(.options, asked))
    #expect(try !isOne(.get, origin, asked))
    #expect(try !isOne(.options, origin, origin, asked))
    #expect(try !isOne(.options, origin, asked, asked))
    #expect(try !isOne(.options, origin, "Access-Control-Request-Method: P U T"))
    #expect(try !isOne(.options, origin, "Access-Control-Request-Method:"))
    #expect(try !isOne(.options, "X_Origin: a", "Origin_: b", asked))
  }

  private func answer(
    _ lines: [String], methods: MethodSet? = nil, allow: String = "", isGranted: Bool = true
  ) throws -> [String: String] {
    let route = methods.map { methods in
      Route(
        path: Array("/".utf8), methods: methods, allow: allow, requiresToken: true, backend: .sample, maxBody: 0,
        forwardsToken: true)
    }
    let response = try withHead([origin, asked] + lines) {
      CORSPreflight.answer($0, $1, route: route, isGranted: isGranted)
    }
    #expect(response.status == 204 && response.body.isEmpty)
    return Dictionary(uniqueKeysWithValues: response.fields.map { ($0.name, $0.value) })
  }

  @Test("the methods are the route's; where it takes any, or there is none, the one that is asked for")
  func methods() throws {
    let name = "Access-Control-Allow-Methods"
    #expect(try answer([], methods: [MethodSet(.get), MethodSet(.post)], allow: "GET, POST")[name] == "GET, POST")
    #expect(try answer([], methods: .all)[name] == "PUT")
    #expect(try answer([])[name] == "PUT")
  }

  @Test("the headers are those that are asked for, where they are names, else the usual ones")
  func headers() throws {
    func allowed(_ lines: String...) throws -> String? { try answer(lines)["Access-Control-Allow-Headers"] }
    let usual = "Authorization, Content-Type, X-Speed-Request-From"
    let name = "Access-Control-Request-Headers"
    #expect(
      try allowed("\(name): authorization,x-speed-request-from ,\tx-own")
        == "authorization, x-speed-request-from, x-own")
    for value in ["", ",", "a b", "a:b", "\"a\"", "a, b\u{e9}"] {
      #expect(try allowed("\(name): \(value)") == usual, "\(value)")
    }
    #expect(try allowed() == usual)
    #expect(try allowed("\(name): \(String(repeating: "a", count: Limits.corsRequestHeaders + 1))") == usual)
    #expect(try allowed("\(name): a", "\(name): b") == usual)
  }

  @Test("an origin that is not allowed is told nothing but what a cache needs")
  func refused() throws {
    #expect(try answer([], isGranted: false).keys.sorted() == ["Vary"])
    #expect(try answer([])["Access-Control-Max-Age"] == "\(Limits.corsMaxAge)")
  }
}
