import GatewayConfig
import GatewayHTTP
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("What the proxy runs on") struct TenantCompilerTests {
  private let servers = UpstreamServers()

  private func tenant(backends: String, routes: String, _ lines: String...) throws -> Tenant {
    let text = "appId: 7\nname: A\ndomains: [a.localhost, b.localhost]\nbackends: \(backends)\nroutes: \(routes)\n"
    let file = file(text + lines.joined(separator: "\n"))
    return TenantCompiler.tenant(try #require(file.configuration, "\(file.problems.map(\.message))"), servers: servers)
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
    #expect(one.servers.map { "\($0.host):\($0.port)" } == ["127.0.0.1:9001", "10.0.0.1:80"])
    #expect([one.timeouts.connect, one.timeouts.response, one.timeouts.idle] == [250, 5_000, 120_000])
    #expect([two.timeouts.connect, two.timeouts.response, two.timeouts.idle] == [2_000, 30_000, 60_000])
    #expect(one.retries == 0)
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
