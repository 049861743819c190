import GatewayBase
import GatewayConfig
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayServer

@Suite("The loaded apps") struct AppDirectoryTests {
  @Test("a changed app takes the place of its version before, and the others stay as they are")
  func replaced() throws {
    let first = directory([yaml(1, "a.localhost"), yaml(2, "b.localhost")])
    let before = try #require(first.apps[2])
    let app = try #require(directory([yaml(2, "c.localhost")]).apps[2])
    var second = first
    second.replace([before], with: [app], bundleConflicts: [:])
    #expect(second.apps[1]?.tenant === first.apps[1]?.tenant)
    #expect(second.app(at: HostName(literal: "c.localhost"))?.tenant === app.tenant)
    #expect(second.app(at: HostName(literal: "b.localhost")) == nil)
    #expect(first.app(at: HostName(literal: "b.localhost"))?.tenant === before.tenant, "a copy changes alone")
  }

  @Test("a changed app keeps its servers, and so their health; another app never gets them")
  func keptServers() throws {
    let materials = TenantMaterials()
    let first = directory([yaml(1, "a.localhost", port: 9001), yaml(2, "b.localhost", port: 9001)], with: materials)
    let before = try #require(first.apps[1]?.tenant)
    let shared = try #require(set([yaml(1, "c.localhost", port: 9001)]).loaded("0.yaml"))
    let after = TenantCompiler.tenant(shared.value, replacing: before, with: materials)
    #expect(before.backends[0].servers[0] === after.backends[0].servers[0])
    #expect(before.backends[0].servers[0] !== first.apps[2]?.tenant.backends[0].servers[0])
  }

  @Test("a provider or an origin that several apps list is known until the last of them is gone")
  func listed() throws {
    let web = "cors: { origins: [https://web.example] }\n"
    let apps = directory([yaml(1, "a.localhost") + web, yaml(2, "b.localhost") + web])
    var left = apps
    left.replace([try #require(apps.apps[1])], with: [], bundleConflicts: [:])
    #expect(left.isWebOrigin("https://web.example") && left.lists("apple-native") && !left.lists("other"))
    left.replace([try #require(apps.apps[2])], with: [], bundleConflicts: [:])
    #expect(!left.isWebOrigin("https://web.example") && !left.lists("apple-native"))
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
    let shared = appsOnTheWeb("com.example.web", "com.example.web")
    #expect(shared.description(of: try #require(shared.apps[1])).conflictedBundleIDs == ["com.example.web"])
    let apart = appsOnTheWeb("com.example.web", "com.example.other")
    #expect(apart.description(of: try #require(apart.apps[1])).conflictedBundleIDs.isEmpty)
  }

  /// Two apps with these Services IDs.
  private func appsOnTheWeb(_ first: String, _ second: String) -> AppDirectory {
    directory(
      [(1, first), (2, second)].map { id, services in
        var file = GatewayTesting.TenantFile(id, "\(id).localhost", bundleIDs: [], ports: [9])
        file.iosLines = ["servicesId: \(services)"]
        return file.yaml
      })
  }
}
