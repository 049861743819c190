import GatewayBase
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayConfig
@testable import GatewayServer

@Suite("What a start makes of the configuration") struct StartTests {
  /// Answers its own name.
  private struct Named: Service {
    let name: String

    func respond(to request: ServiceRequest) async -> ServiceResponse { ServiceResponse(200, body: Array(name.utf8)) }
  }

  private func hosts(_ platform: String) async throws -> [String: String] {
    let configuration = try gateway("platform: \(platform)").platform
    var names: [String: String] = [:]
    for (host, service) in configuration.services(api: Named(name: "api"), pages: Named(name: "pages")) {
      #expect(names[host.description] == nil, "one service a host")
      names[host.description] = await service.respond(to: request(.get, "/")).text
    }
    return names
  }

  @Test("the API answers on its own hosts alone, and on a host of both it answers for both")
  func services() async throws {
    #expect(
      try await hosts("{ apiHosts: [api.example, both.example], dashHosts: [dash.example, both.example] }")
        == ["api.example": "api", "both.example": "api", "dash.example": "pages"])
  }

  @Test("a dash host answers 404 to everything")
  func pages() async throws {
    for path in ["/", "/api/platform/auth/me", "/.well-known/jwks.json", "/api/platform/auth/apple-native"] {
      let response = await Pages().respond(to: request(.get, path))
      #expect(response.status == 404)
      #expect(response.value(of: "X-Speed-Error") == "no_route")
    }
  }

  @Test("client connections leave a quarter of the descriptors to backends, and never more are taken than configured")
  func connections() {
    var limits = LimitConfiguration()
    limits.maxConnections = 100_000
    #expect(limits.connections(within: 1_048_576) == 100_000)
    #expect(limits.connections(within: 20_000) == 14_900)
    #expect(limits.connections(within: 1024) == 668)
    #expect(limits.connections(within: 100) == 1)
    #expect(limits.connections(within: 0) == 1)
    #expect(limits.connections(within: .max) == 100_000)
    #expect(limits.perAddress(of: 100_000) == 10_000)
    #expect(limits.perAddress(of: 600) == 1000, "the limit of all is the lower one")
    limits.maxConnectionsPerAddress = 5
    #expect(limits.perAddress(of: 100_000) == 5)
    limits.maxConnections = 10
    #expect(limits.connections(within: 1024) == 10)
  }
}
