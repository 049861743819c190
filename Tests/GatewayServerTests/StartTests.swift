import GatewayBase
import GatewayIdentity
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

  private func hosts(_ platform: String, _ path: String) async throws -> [String: String] {
    let configuration = try gateway("platform: \(platform)").platform
    var names: [String: String] = [:]
    for (host, service) in configuration.services(api: Named(name: "api"), pages: Named(name: "pages")) {
      #expect(names[host.description] == nil, "one service a host")
      names[host.description] = await service.respond(to: request(.get, path)).text
    }
    return names
  }

  @Test("the API answers on its own hosts alone, and on a host of both beside the pages, which are below /platform/")
  func services() async throws {
    let both = "{ apiHosts: [api.example, both.example], dashHosts: [dash.example, both.example] }"
    #expect(
      try await hosts(both, "/") == ["api.example": "api", "both.example": "api", "dash.example": "pages"])
    #expect(
      try await hosts(both, "/platform/auth/apple")
        == ["api.example": "api", "both.example": "pages", "dash.example": "pages"])
    #expect(try await hosts(both, "/api/platform/auth/me")["both.example"] == "api")
  }

  @Test("the folder of the access log is made where it is absent, and a file that can't be opened is named")
  func accessLog() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("var/log/access.log")
    #expect(try AccessLogConfiguration(mode: .on, oneIn: 1, file: path).open(loops: 1) != nil)
    #expect(FileSystem.look(at: path) != .absent)
    let folderItself = folder.path("var")
    let failure = #expect(throws: AccessLogConfiguration.Failure.self) {
      try AccessLogConfiguration(mode: .on, oneIn: 1, file: folderItself).open(loops: 1)
    }
    #expect(failure?.description.contains(folderItself) == true)
  }

  @Test("a gateway knows every revocation in the store before it is ready")
  func revocations() async throws {
    let folder = try TemporaryFolder()
    try folder.write("tenants/a.yaml", yaml(1, "a.localhost"))
    let configuration = try gateway(
      """
      store: { url: "sqlite:\(folder.path("gateway.db"))" }
      tenants: \(folder.path("tenants"))
      plugins: \(folder.path("plugins"))
      tokens: { keys: \(folder.path("keys")), sealingKeys: \(folder.path("sealing")) }
      loops: 1
      """)
    let logger = Logger(level: .error)
    let (clock, store) = (SystemClock(), configuration.store.open(environment: [:], logger: logger))
    let ended = Revocation(.token(jti: "ended"), expiresAt: clock.now.adding(seconds: 60))
    try await Revocations(store: store, clock: clock, logger: logger).revoke(ended)
    let process = try await RunningGateway(configuration, environment: [:], release: "test", logger: logger)
    #expect(!process.readiness.isReady)
    #expect(process.revocations.known.isRevoked(jti: "ended", user: "u", app: 1, issuedAt: clock.now))
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
