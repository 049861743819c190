import GatewayProxy

/// The state of a backend and its servers, as the metrics tell it. All labels come from the configuration, and there are
/// no more of them than of apps with a label of their own (`AppLabels`): all other apps are one.
struct BackendState: Sendable {
  struct Server: Sendable {
    /// For Prometheus: app, backend and address.
    let labels: String
    /// Neither down nor ejected; of other apps together: all of them.
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
    var states: [BackendState] = []
    var others: [BackendState] = []
    for tenant in tenants.sorted(by: { $0.appID < $1.appID }) {
      let own = tenant.backends.map { BackendState($0, app: tenant.appID, now: now) }
      if tenant.label == .other { others += own } else { states += own }
    }
    return others.isEmpty ? states : states + [BackendState(sumOf: others)]
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

  private init(sumOf states: [BackendState]) {
    let names = [("app", "other"), ("backend", "other")]
    let all = states.flatMap(\.servers)
    labels = MetricsText.labels(names)
    refusals = states.reduce(0) { $0 &+ $1.refusals }
    servers = [
      Server(
        labels: MetricsText.labels(names + [("server", "other")]), isUp: all.allSatisfy(\.isUp),
        requestsUnderWay: all.reduce(0) { $0 + $1.requestsUnderWay }, ejections: all.reduce(0) { $0 &+ $1.ejections })
    ]
  }
}
