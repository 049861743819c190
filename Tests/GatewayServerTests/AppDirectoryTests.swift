import GatewayBase
import GatewayConfig
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("The loaded apps") struct AppDirectoryTests {
  private let servers = UpstreamServers()

  private func directory(_ files: [String], reusing previous: AppDirectory? = nil) -> AppDirectory {
    AppDirectory(set(files), servers: servers, reusing: previous)
  }

  @Test("an app whose file did not change keeps what it was compiled to; the other one gets a new one")
  func reuse() throws {
    let first = directory([yaml(1, "a.localhost"), yaml(2, "b.localhost")])
    let second = directory([yaml(1, "a.localhost"), yaml(2, "c.localhost")], reusing: first)
    let (kept, before) = (try #require(first.apps[1]), try #require(first.apps[2]))
    #expect(second.apps[1]?.tenant === kept.tenant)
    #expect(second.apps[2]?.tenant !== before.tenant)
    #expect(second.apps[2]?.tenant.hosts.map(\.description) == ["c.localhost"])
    #expect(second.app(at: HostName(literal: "b.localhost")) == nil)
  }

  @Test("a changed app keeps its servers, and so their connections; another app never gets them")
  func keptServers() throws {
    let first = directory([yaml(1, "a.localhost", port: 9001), yaml(2, "b.localhost", port: 9001)])
    let second = directory([yaml(1, "c.localhost", port: 9001)], reusing: first)
    func server(_ directory: AppDirectory, _ app: Int64) throws -> UpstreamServer {
      try #require(directory.apps[app]?.tenant.routes.routes.first?.backend.servers.first)
    }
    let (before, after, other) = (try server(first, 1), try server(second, 1), try server(first, 2))
    #expect(before === after)
    #expect(before !== other)
  }

  @Test("pages of an app are those that it lists and those of its own domains, by their exact origin")
  func webOrigins() throws {
    var app = yaml(1, "a.example")
    app += "cors: { origins: [https://web.example, \"http://127.0.0.1:3000\"] }\n"
    let directory = directory([app, yaml(2, "b.localhost"), yaml(3, "c.example") + "cors: { origins: [\"*\"] }\n"])
    for origin in [
      "https://web.example", "http://127.0.0.1:3000", "https://a.example", "http://b.localhost:8080",
      "http://b.localhost", "https://c.example",
    ] {
      #expect(directory.isWebOrigin(origin), "\(origin)")
    }
    for origin in [
      "null", "", "*", "https://web.example/", "https://web.example:443", "http://a.example", "https://a.example:8443",
      "https://x.a.example", "https://evila.example", "https://A.example", "https://other.example", "a.example",
      "ftp://a.example", "https://u@a.example",
    ] {
      #expect(!directory.isWebOrigin(origin), "\(origin)")
    }
  }

  @Test("a provider is told which of an app's bundle IDs another app has too")
  func conflicts() throws {
    let directory = directory([
      yaml(1, "a.localhost", bundleIDs: ["com.example.a", "com.example.both"]),
      yaml(2, "b.localhost", bundleIDs: ["com.example.both"]),
    ])
    let description = directory.description(of: try #require(directory.apps[1]))
    #expect(description.bundleIDs == ["com.example.a", "com.example.both"])
    #expect(description.conflictedBundleIDs == ["com.example.both"])
    #expect(description.domains == ["a.localhost"])
  }
}
