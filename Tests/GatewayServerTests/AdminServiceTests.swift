import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayPlugins
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayServer

@Suite("The admin listener") struct AdminServiceTests {
  private let readiness = Readiness()

  private func service(_ admin: String, environment: [String: String] = [:]) throws -> AdminService {
    let configuration = try gateway("admin: \(admin)", environment: environment)
    return AdminService(
      readiness: readiness,
      metrics: Metrics(
        workers: { [] }, apps: { [] }, files: { [("ok", 2)] }, plugins: { .load(folder: "/nonexistent") }),
      access: AdminService.Access(configuration.admin, environment: environment))
  }

  private func status(
    _ service: AdminService, _ path: String = "/metrics", method: HTTPMethod = .get, bearer: String? = nil
  ) async -> UInt16 {
    await service.respond(
      to: request(method, path, fields: bearer.map { [("authorization", $0)] } ?? [])
    ).status
  }

  private static let open = "{ address: 127.0.0.1:9901 }"
  private static let guarded = "{ address: 127.0.0.1:9901, tokenEnv: ADMIN_TOKEN }"

  @Test("on loopback without a token of its own it is open")
  func loopback() async throws {
    let response = await (try service(Self.open)).respond(to: request(.get, "/metrics"))
    #expect(response.status == 200)
    #expect(response.value(of: "Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
    #expect(response.text.contains("speed_tenant_files{state=\"ok\"} 2\n"))
  }

  @Test("without a token it is open by a name of this machine alone: another one may be that of a web page")
  func names() async throws {
    let service = try service(Self.open)
    for path in ["/metrics", "/tenants", "/jobs"] {
      for host in ["localhost", "127.0.0.1", "127.0.0.2", "[::1]", "gateway.localhost"] {
        #expect(await service.respond(to: request(.get, path, host: host)).status == 200, "\(path) \(host)")
      }
      for host in ["evil.example", "10.0.0.1", "localhost.evil.example"] {
        #expect(await service.respond(to: request(.get, path, host: host)).status == 403, "\(path) \(host)")
      }
    }
    #expect(await service.respond(to: request(.get, "/healthz", host: "evil.example")).status == 200)
  }

  @Test("with a token the metrics are for its bearer alone, also on loopback")
  func bearer() async throws {
    let service = try service(Self.guarded, environment: ["ADMIN_TOKEN": "correct"])
    #expect(await status(service) == 401)
    for wrong in ["Bearer wrong", "Bearer correct ", "Bearer correc", "Bearer ", "correct", "Basic correct", ""] {
      #expect(await status(service, bearer: wrong) == 401, "\(wrong)")
    }
    #expect(await status(service, bearer: "Bearer correct") == 200)
  }

  @Test("a token that was asked for and is not there closes the metrics to everybody")
  func missingSecret() async throws {
    for environment in [[:], ["ADMIN_TOKEN": ""]] {
      let service = try service(Self.guarded, environment: environment)
      let response = await service.respond(to: request(.get, "/metrics", fields: [("Authorization", "Bearer ")]))
      #expect(response.status == 503)
      #expect(response.value(of: "X-Speed-Error") == "secret_missing")
      #expect(await status(service, "/healthz") == 200)
    }
  }

  @Test("it is alive at once, and ready while it says so, whoever asks")
  func probes() async throws {
    let service = try service(Self.guarded, environment: ["ADMIN_TOKEN": "correct"])
    #expect(await status(service, "/healthz") == 200)
    #expect(await status(service, "/readyz") == 503)
    readiness.set(true)
    #expect(await status(service, "/readyz", method: .head) == 200)
    readiness.set(false)
    #expect(await status(service, "/readyz") == 503)
    #expect(await status(service, "/healthz") == 200)
  }

  @Test("other paths and methods are refused")
  func refusals() async throws {
    let service = try service(Self.open)
    #expect(await status(service, "/") == 404)
    #expect(await status(service, "/metrics/") == 404)
    let response = await service.respond(to: request(.post, "/healthz"))
    #expect(response.status == 405)
    #expect(response.value(of: "Allow") == "GET, HEAD")
  }
}
