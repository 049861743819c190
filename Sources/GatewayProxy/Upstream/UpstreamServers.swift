import GatewayBase
import GatewayIO

/// Gives each server of each app one `UpstreamServer`, and each backend one `BackendLoad`: the same ones across
/// reloads, so that a reload neither cuts connections nor makes a dead server look well.
package final class UpstreamServers: Sendable {
  private struct ServerKey: Hashable {
    let app: Int64
    let endpoint: UpstreamEndpoint
  }

  private struct LoadKey: Hashable {
    let app: Int64
    let backend: String
  }

  private struct State {
    var servers: [ServerKey: UpstreamServer] = [:]
    var loads: [LoadKey: BackendLoad] = [:]
    /// Never given twice: what a loop keeps of a server that has gone must not meet its successor.
    var nextPoolIndex = 0
    /// How many servers there may be before those that no app names any more are looked for.
    var pruneAt = 64
  }

  private let state = Locked(State())
  private let now: @Sendable () -> UInt64

  /// - Parameter now: monotonic milliseconds.
  package init(now: @escaping @Sendable () -> UInt64 = { MonotonicClock.nanoseconds / 1_000_000 }) { self.now = now }

  /// The servers of a backend of this app. What two apps name alike is apart, connections and health.
  ///
  /// One that joins others that are known begins slowly; where all are new, none does.
  ///
  /// - Parameter rules: by which each is judged: the same for a server whichever backend asks.
  package func servers(
    app: Int64, _ endpoints: [UpstreamEndpoint], rules: (UpstreamEndpoint) -> HealthRules
  ) -> [UpstreamServer] {
    let now = now()
    return state.withLock { state in
      let keys = endpoints.map { ServerKey(app: app, endpoint: $0) }
      let joins = keys.contains { state.servers[$0] != nil }
      return keys.map { key in
        if let known = state.servers[key] {
          known.adopt(rules(key.endpoint), now: now)
          return known
        }
        let server = UpstreamServer(
          key.endpoint, poolIndex: state.nextPoolIndex,
          health: ServerHealth(rules: rules(key.endpoint), isNew: joins, now: now), now: now)
        state.nextPoolIndex += 1
        state.servers[key] = server
        return server
      }
    }
  }

  /// The server of this app at this host and port, in the clear.
  package func server(app: Int64, host: String, port: UInt16) -> UpstreamServer {
    servers(app: app, [UpstreamEndpoint(.network(host: host, port: port))]) { _ in HealthRules() }[0]
  }

  /// The count of requests under way at this backend of this app.
  package func load(app: Int64, backend: String) -> BackendLoad {
    state.withLock { state in
      let key = LoadKey(app: app, backend: backend)
      if let load = state.loads[key] { return load }
      let load = BackendLoad()
      state.loads[key] = load
      return load
    }
  }

  /// Forgets what no app names any more, now and then: the cost of a look at all apps is shared by many changes.
  package func prune(keeping tenants: () -> [Tenant]) {
    state.withLock { state in
      guard state.servers.count + state.loads.count > state.pruneAt else { return }
      var kept = State(nextPoolIndex: state.nextPoolIndex)
      for tenant in tenants() {
        for backend in tenant.backends {
          let load = LoadKey(app: tenant.appID, backend: backend.name)
          kept.loads[load] = backend.load
          for server in backend.servers {
            kept.servers[ServerKey(app: tenant.appID, endpoint: server.endpoint)] = server
          }
        }
      }
      kept.pruneAt = 2 * (kept.servers.count + kept.loads.count) + 64
      state = kept
    }
  }
}

extension UpstreamServer {
  fileprivate func adopt(_ rules: HealthRules, now: UInt64) {
    _ = note(
      {
        $0.adopt(rules)
        return nil
      }, now: now)
  }
}
