import GatewayProxy

/// The state of a backend and its servers, as the metrics tell it. All labels come from the configuration.
struct BackendState: Sendable {
  struct Server: Sendable {
    /// For Prometheus: app, backend and address.
    let labels: String
    /// Neither down nor ejected.
    let isUp: Bool
    let requestsUnderWay: Int
    let ejections: UInt64
  }

  /// For Prometheus: app and backend.
  let labels: String
  /// Requests beyond `maxConcurrent`.
  let refusals: UInt64
  let servers: [Server]

  /// The state of all backends of these apps, ordered.
  ///
  /// - Parameter now: monotonic milliseconds.
  static func all(of tenants: some Sequence<Tenant>, now: UInt64) -> [BackendState] {
    tenants.sorted { $0.appID < $1.appID }.flatMap { tenant in
      tenant.backends.map { BackendState($0, app: tenant.appID, now: now) }
    }
  }

  private init(_ backend: Backend, app: Int64, now: UInt64) {
    let names = [("app", String(app)), ("backend", backend.name)]
    labels = MetricsText.labels(names)
    refusals = backend.load.refusals
    servers = backend.servers.map { server in
      Server(
        labels: MetricsText.labels(names + [("server", "\(server.endpoint)")]), isUp: server.isInService(now: now),
        requestsUnderWay: server.requestsUnderWay, ejections: server.ejections)
    }
  }
}
