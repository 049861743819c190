import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("What the proxy runs on") struct TenantCompilerTests {
  private let materials = TenantMaterials()

  private func tenant(
    backends: String, routes: String, _ lines: String..., replacing previous: Tenant? = nil
  ) throws -> Tenant {
    let text = "appId: 7\nname: A\ndomains: [a.localhost, b.localhost]\nbackends: \(backends)\nroutes: \(routes)\n"
    let file = file(text + lines.joined(separator: "\n"))
    return TenantCompiler.tenant(
      try #require(file.configuration, "\(file.problems.map(\.message))"), replacing: previous, with: materials)
  }

  private func route(_ members: String) throws -> Route {
    let tenant = try tenant(
      backends: "{ main: { servers: [http://127.0.0.1:9001] } }", routes: "[{ path: /, backend: main\(members) }]")
    return try #require(tenant.routes.routes.first)
  }

  @Test("a route takes the methods that it names, and tells them in its 405")
  func methods() throws {
    let route = try route(", methods: [GET, DELETE]")
    let taken = HTTPMethod.allCases.filter { route.methods.contains(MethodSet($0)) }
    #expect(taken == [.get, .delete])
    #expect(route.allow == "GET, DELETE")
  }

  @Test("a route that names no methods takes all, also such as have no name here")
  func allMethods() throws {
    let route = try route("")
    #expect(HTTPMethod.allCases.allSatisfy { route.methods.contains(MethodSet($0)) })
  }

  @Test("a token is required unless the route says otherwise, and goes on unless the route says otherwise")
  func token() throws {
    #expect(try route("").requiresToken)
    #expect(try !route(", auth: none").requiresToken)
    #expect(try route("").forwardsToken)
    #expect(try !route(", forwardToken: false").forwardsToken)
  }

  @Test("the bound of a body is in bytes")
  func maxBody() throws {
    #expect(try route(", maxBody: 3KiB").maxBody == 3072)
    #expect(try route(", maxBody: 0B").maxBody == 0)
    #expect(try route("").maxBody == 10 * 1024 * 1024)
  }

  @Test("each route reaches the backend that it names, with that one's servers, waits and retries")
  func backends() throws {
    let tenant = try tenant(
      backends: "{ one: { servers: [http://127.0.0.1:9001, http://10.0.0.1:80], retries: 0, "
        + "timeouts: { connect: 250ms, response: 5s, idle: 2m } }, two: { servers: [http://127.0.0.1:9002] } }",
      routes: "[{ path: /, backend: two }, { path: /one/, backend: one }]")
    let routes = tenant.routes.routes
    #expect(routes.map { String(decoding: $0.path, as: UTF8.self) } == ["/one/", "/"], "the longest path first")
    let (one, two) = (routes[0].backend, routes[1].backend)
    #expect([one.name, two.name] == ["one", "two"])
    #expect(one.servers.map { "\($0.endpoint)" } == ["http://127.0.0.1:9001", "http://10.0.0.1:80"])
    #expect([one.timeouts.connect, one.timeouts.response, one.timeouts.idle] == [250, 5_000, 120_000])
    #expect([two.timeouts.connect, two.timeouts.response, two.timeouts.idle] == [2_000, 30_000, 60_000])
    #expect(one.retries == 0)
  }

  @Test("a rate limit counts what it says, and a route without one has none")
  func rateLimit() throws {
    #expect(try route("").limit == nil)
    let limit = try #require(try route(", rateLimit: { requests: 10, per: 2s, by: address }").limit)
    #expect(limit.rule == RateRule(requests: 10, milliseconds: 2000) && limit.subject == .address)
    #expect(try route(", rateLimit: { requests: 1, per: 1s }").limit?.subject == .user)
    #expect(try route(", rateLimit: { requests: 1, per: 1s, by: app }").limit?.subject == .app)
  }

  @Test("an app's origins are those of its file, with the port left out where it is the scheme's own")
  func cors() throws {
    let (backends, routes) = (
      "{ main: { servers: [http://127.0.0.1:9001] } }", "[{ path: /, backend: main }]"
    )
    #expect(try tenant(backends: backends, routes: routes).cors == nil)
    let listed = try #require(
      try tenant(backends: backends, routes: routes, "cors: { origins: [\"https://A.example:443\"] }").cors)
    let any = try #require(try tenant(backends: backends, routes: routes, "cors: { origins: [\"*\"] }").cors)
    func allows(_ policy: CORSPolicy, _ origin: String) -> Bool { policy.allows(origin: Array(origin.utf8).span) }
    #expect(allows(listed, "https://a.example") && !allows(listed, "https://b.example"))
    #expect(allows(any, "https://b.example") && !allows(any, "null"))
  }

  @Test("what a backend says of health, choice and load is carried over")
  func backendRules() throws {
    let tenant = try tenant(
      backends: "{ main: { servers: [http://127.0.0.1:9001, unix:/run/a.sock, https://a.example], ca: ca.pem, "
        + "policy: leastRequests, health: { path: /h, interval: 3s, timeout: 1s, passes: 4, failures: 5 }, "
        + "ejection: { failures: 6, duration: 7s }, slowStart: 8s, maxConcurrent: 9 } }",
      routes: "[{ path: /, backend: main }]")
    let backend = try #require(tenant.backends.first)
    #expect(
      backend.servers.map { "\($0.endpoint)" } == [
        "http://127.0.0.1:9001", "unix:/run/a.sock", "https://a.example:443",
      ])
    #expect(backend.servers[2].endpoint.security == .tls(authorities: "ca.pem"))
    #expect(backend.servers[0].endpoint.security == .plain)
    #expect(backend.policy == .leastRequests && backend.maxConcurrent == 9)
    #expect(backend.check == Backend.Check(path: "/h", interval: 3_000, timeout: 1_000))
    var rules = HealthRules()
    (rules.isChecked, rules.passes, rules.failures) = (true, 4, 5)
    (rules.ejectionFailures, rules.ejection, rules.slowStart) = (6, 7_000, 8_000)
    #expect(backend.rules == rules)
  }

  @Test("GW-73 a server of two backends stays down across a reload, though only one of them checks it")
  func sharedServer() throws {
    let both =
      "{ a: { servers: [http://127.0.0.1:9001], health: { path: / } }, b: { servers: [http://127.0.0.1:9001] } }"
    let routes = "[{ path: /, backend: a }, { path: /b/, backend: b }]"
    let first = try tenant(backends: both, routes: routes)
    let (a, b) = (first.backends[0], first.backends[1])
    #expect(a.servers[0] === b.servers[0])
    a.checked(a.servers[0], fault: "gone", now: 0, HealthSite(app: 7, logger: Logger(level: .error)))
    let second = try tenant(backends: both, routes: routes, "x-note: 1", replacing: first)
    #expect(!second.backends[1].servers[0].isInService(now: 0))
  }

  @Test("an app's own rules are carried over")
  func rules() throws {
    let plain = try tenant(
      backends: "{ main: { servers: [http://127.0.0.1:9001] } }", routes: "[{ path: /, backend: main }]")
    #expect(plain.appID == 7)
    #expect(plain.hosts.map(\.description) == ["a.localhost", "b.localhost"])
    #expect(plain.requestFrom == [Array("app".utf8), Array("web".utf8)])
    #expect(!plain.hasOpaquePaths && !plain.allowsMethodOverride)
    let odd = try tenant(
      backends: "{ main: { servers: [http://127.0.0.1:9001] } }", routes: "[{ path: /, backend: main }]",
      "paths: opaque", "methodOverride: true", "requestFrom: [kiosk]")
    #expect(odd.requestFrom == [Array("kiosk".utf8)])
    #expect(odd.hasOpaquePaths && odd.allowsMethodOverride)
  }
}
