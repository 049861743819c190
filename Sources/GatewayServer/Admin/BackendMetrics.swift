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
    var others: BackendState?
    var labelled: [Tenant] = []
    for tenant in tenants {
      guard tenant.label == .other else {
        labelled.append(tenant)
        continue
      }
      for backend in tenant.backends { others = (others ?? .noOthers).adding(backend, now: now) }
    }
    let states = labelled.sorted { $0.appID < $1.appID }.flatMap { tenant in
      tenant.backends.map { BackendState($0, app: tenant.appID, now: now) }
    }
    return states + (others.map { [$0] } ?? [])
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

  private init(labels: String, refusals: UInt64, servers: [Server]) {
    self.labels = labels
    self.refusals = refusals
    self.servers = servers
  }

  private static var noOthers: BackendState {
    let names = [("app", "other"), ("backend", "other")]
    return BackendState(
      labels: MetricsText.labels(names), refusals: 0,
      servers: [
        Server(
          labels: MetricsText.labels(names + [("server", "other")]), isUp: true, requestsUnderWay: 0, ejections: 0)
      ])
  }

  /// The sum of other apps with one more backend: without a text for each, as there may be a hundred thousand.
  private func adding(_ backend: Backend, now: UInt64) -> BackendState {
    let servers = servers.map { sum in
      Server(
        labels: sum.labels, isUp: sum.isUp && backend.servers.allSatisfy { $0.isInService(now: now) },
        requestsUnderWay: backend.servers.reduce(sum.requestsUnderWay) { $0 + $1.requestsUnderWay },
        ejections: backend.servers.reduce(sum.ejections) { $0 &+ $1.ejections })
    }
    return BackendState(labels: labels, refusals: refusals &+ backend.load.refusals, servers: servers)
  }
}
