import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayIO
import GatewayProxy
import Synchronization

/// The admin listener: liveness, readiness, metrics, the state of tenant files, queued work of providers.
struct AdminService: Service {
  let readiness: Readiness
  let metrics: Metrics
  let access: Access
  /// What is known of the tenant files.
  var tenants: @Sendable () -> TenantBook = { TenantBook() }
  /// Queued work of providers as JSON.
  var jobs: @Sendable () async throws -> [UInt8] = { Array("{}".utf8) }

  /// Who may see more than whether the gateway is alive and ready.
  enum Access: Sendable {
    /// Anyone who reaches the listener by a name of this machine: it is on loopback, and no token was asked for.
    case everyone
    case bearer(Secret)
    /// A token was asked for and is not there: nobody, rather than everybody.
    case nobody

    init(_ configuration: AdminConfiguration, environment: [String: String]) {
      guard let source = configuration.token else {
        self = configuration.address.isLoopback ? .everyone : .nobody
        return
      }
      self = source.resolve(environment: environment).map(Access.bearer) ?? .nobody
    }
  }

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    do throws(Refusal) {
      try request.require([.get, .head])
      switch request.path {
      case "/healthz": return text(200, "ok\n")
      case "/readyz": return readiness.isReady ? text(200, "ready\n") : text(503, "not ready\n")
      case "/metrics":
        try authorize(request)
        return ServiceResponse(
          200, fields: [ServiceField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
          body: await Thread.run(name: "metrics") { [metrics] in Array(metrics.text.utf8) })
      case "/tenants":
        try authorize(request)
        let query = try TenantList.Query(request.query)
        // With many files a list takes longer than a loop may.
        let tenants = tenants
        return ServiceResponse(
          200,
          fields: [ServiceField("Content-Type", "application/json"), ServiceField("Cache-Control", "no-store")],
          body: await Thread.run(name: "list") { TenantList(book: tenants()).json(query) })
      case "/jobs":
        try authorize(request)
        return .json(200, try await listedJobs())
      default: throw .noRoute
      }
    } catch {
      return .refusal(error, requestID: request.requestID)
    }
  }

  private func listedJobs() async throws(Refusal) -> [UInt8] {
    do {
      return try await jobs()
    } catch {
      throw .storeUnavailable
    }
  }

  private func authorize(_ request: ServiceRequest) throws(Refusal) {
    switch access {
    case .everyone:
      // A page of another host can have its name lead here (DNS rebinding), and its browser would let it read the answer.
      guard let host = HostName(request.host), URLHost(host).isLoopback else {
        throw Refusal(403, "forbidden", "Ask by a name of this machine, such as localhost, or set admin.tokenEnv.")
      }
    case .nobody: throw Refusal(503, "secret_missing", "The token of the admin listener is not set.")
    case .bearer(let token): try check(request, token)
    }
  }

  private func check(_ request: ServiceRequest, _ token: Secret) throws(Refusal) {
    guard let sent = request.values(of: "authorization").first else { throw .missingToken }
    guard Secret(sent.utf8) == Secret(Array("Bearer ".utf8) + token.reveal()) else { throw .invalidToken }
  }

  private func text(_ status: UInt16, _ text: String) -> ServiceResponse {
    ServiceResponse(
      status,
      fields: [ServiceField("Content-Type", "text/plain; charset=utf-8"), ServiceField("Cache-Control", "no-store")],
      body: Array(text.utf8))
  }
}

/// Whether requests should be sent here: true once everything listens, false from the first sign of a drain.
final class Readiness: Sendable {
  private let ready = Atomic<Bool>(false)

  var isReady: Bool { ready.load(ordering: .acquiring) }

  func set(_ isReady: Bool) { ready.store(isReady, ordering: .releasing) }
}
