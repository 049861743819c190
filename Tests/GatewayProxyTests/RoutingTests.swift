import GatewayBase
import GatewayHTTP
import Testing

@testable import GatewayProxy

@Suite struct RoutingTests {
  @Test(
    "A path that ends in a slash is a prefix, any other is exact or followed by a slash",
    arguments: [
      ("/", "/", true), ("/", "/a/b", true), ("/public/", "/public/", true), ("/public/", "/public/a", true),
      ("/public/", "/public", false), ("/public/", "/publicity", false), ("/v1", "/v1", true), ("/v1", "/v1/", true),
      ("/v1", "/v1/a", true), ("/v1", "/v10", false), ("/v1", "/v", false), ("/v1", "/V1", false),
    ])
  func matches(path: String, target: String, isMatch: Bool) {
    #expect(Route.to(path).matches(target) == isMatch)
  }

  @Test("The longest path decides, whatever the order in the file and whatever its methods")
  func longest() {
    let table = RouteTable([.to("/"), .to("/a/b"), .to("/a/"), .to("/a/b/c", methods: MethodSet(.post))])
    func path(_ target: String) -> String? {
      table.index(of: target).map { String(decoding: table.routes[$0].path, as: UTF8.self) }
    }
    #expect(path("/x") == "/")
    #expect(path("/a/x") == "/a/")
    #expect(path("/a/b/x") == "/a/b")
    #expect(path("/a/b/c") == "/a/b/c")
    #expect(path("/a") == "/")
    #expect(RouteTable([.to("/only")]).index(of: "/other") == nil)
  }

  @Test("A set of methods holds what it was made of, and all holds those without a name")
  func methods() {
    let set: MethodSet = [MethodSet(.get), MethodSet(.post)]
    let held = HTTPMethod.allCases.filter { set.contains(MethodSet($0)) }
    #expect(held == [.get, .post])
    #expect(HTTPMethod.allCases.allSatisfy { MethodSet.all.contains(MethodSet($0)) })
  }

  @Test("Every host of a large table is found, and no other")
  func largeTable() throws {
    let hosts = try (0..<2_000).map { try #require(HostName("app-\($0).example")) }
    let tenants = hosts.enumerated().map { Tenant.named([$1], id: Int64($0)) }
    var table = HostTable()
    for tenant in tenants { table.insert(tenant) }
    for (index, host) in hosts.enumerated() { #expect(table.appID(of: host.description) == Int64(index)) }
    for other in ["app-2000.example", "example", "app-1.example.org", "xapp-1.example"] {
      #expect(table.appID(of: other) == nil)
    }
    #expect(HostTable().appID(of: "app.example") == nil)
  }

  @Test("GW-86 a changed copy of the table leaves the one that requests see as it is, and finds all others still")
  func changedCopy() throws {
    let hosts = try (0..<5_000).map { try #require(HostName("app-\($0).example")) }
    let tenants = hosts.enumerated().map { Tenant.named([$1], id: Int64($0)) }
    let before = RoutingSnapshot(services: [], tenants: tenants)
    let moved = Tenant.named([try #require(HostName("new.example")), hosts[8]], id: 7)
    let after = before.replacing([tenants[7], tenants[8]], with: [moved])
    #expect(before.hosts.appID(of: "app-7.example") == 7 && before.hosts.appID(of: "app-8.example") == 8)
    #expect(before.hosts.appID(of: "new.example") == nil && before.apps[8] != nil)
    #expect(after.hosts.appID(of: "app-7.example") == nil && after.hosts.appID(of: "app-8.example") == 7)
    #expect(after.hosts.appID(of: "new.example") == 7 && after.apps[8] == nil && after.apps.count == 4_999)
    for (index, host) in hosts.enumerated() where index != 7 && index != 8 {
      #expect(after.hosts.appID(of: host.description) == Int64(index))
    }
    let empty = after.replacing(tenants.filter { $0.appID != 7 && $0.appID != 8 } + [moved], with: [])
    #expect(empty.apps.count == 0 && hosts.allSatisfy { empty.hosts.appID(of: $0.description) == nil })
  }

  @Test("GW-99 a host is found with a port, a final dot and any case")
  func canonicalHosts() throws {
    let host = try #require(HostName("app.example"))
    var table = HostTable()
    table.insert(.named([host], id: 5))
    for text in ["app.example", "APP.example", "app.example.", "App.Example:443"] {
      #expect(table.appID(of: text) == 5)
    }
  }

  @Test("Of two apps with one host the first keeps it, and no app takes a host of the gateway")
  func firstWins() throws {
    let (shared, own) = (try #require(HostName("shared.test")), try #require(HostName("own.test")))
    let snapshot = RoutingSnapshot(
      services: [(own, ScriptedService { _ in ServiceResponse(204) })],
      tenants: [.named([shared], id: 1), .named([shared, own], id: 2)])
    #expect(snapshot.hosts.appID(of: "shared.test") == 1)
    #expect(snapshot.hosts.appID(of: "own.test") == nil)
  }

  @Test("The limit of a head never passes what fits into a block")
  func headerCeiling() {
    #expect(RoutingSnapshot(services: [], tenants: [], maxHeader: 1 << 20).maxHeader == Limits.requestHeadCeiling)
    #expect(RoutingSnapshot(services: [], tenants: []).maxHeader == Limits.requestHead)
  }
}

extension Route {
  fileprivate static func to(_ path: String, methods: MethodSet = .all) -> Route {
    Route(
      path: Array(path.utf8), methods: methods, allow: "", requiresToken: false, backend: .sample, maxBody: 0,
      forwardsToken: true)
  }

  fileprivate func matches(_ target: String) -> Bool { matches(Array(target.utf8).span) }
}

extension RouteTable {
  fileprivate func index(of target: String) -> Int? {
    let bytes = Array(target.utf8)
    var buffer = TargetBuffer()
    _ = try? CanonicalTarget.parse(bytes.span, method: .get, into: &buffer)
    return index(of: buffer)
  }
}

extension HostTable {
  /// The app on a received host; nil where there is none or a service.
  fileprivate func appID(of received: String) -> Int64? {
    let bytes = Array(received.utf8)
    var buffer = HostBuffer()
    guard HostName.canonicalize(bytes.span, into: &buffer), case .tenant(let tenant, _)? = site(of: buffer) else {
      return nil
    }
    return tenant.appID
  }
}

extension Backend {
  static var sample: Backend {
    let server = UpstreamServers().server(host: "127.0.0.1", port: 1)
    return Backend(name: "b", servers: [server], timeouts: BackendTimeouts(), retries: 1)
  }
}

extension Tenant {
  static func named(_ hosts: [HostName], id: Int64, methodOverride: Bool = false) -> Tenant {
    Tenant(
      appID: id, hosts: hosts, requestFrom: ["app"], hasOpaquePaths: false, allowsMethodOverride: methodOverride,
      routes: RouteTable([]), backends: [])
  }
}
