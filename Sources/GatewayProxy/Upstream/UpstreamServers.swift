import GatewayBase
import GatewayIO

/// Makes the servers of apps: those that the version before had go on, so that a reload neither cuts connections nor makes
/// a dead server look well. All apps that name one server share its place.
package final class UpstreamServers: Sendable {
  private struct Places {
    /// Weak, so that a place goes with the last version of an app that names it and the last request there.
    var known: [UpstreamEndpoint: WeakPlace] = [:]
    /// How many there may be before those that have gone are looked for.
    var pruneAt = 64
  }

  private struct WeakPlace {
    weak var place: UpstreamPlace?
  }

  private let indices = PoolIndices()
  private let places = Locked(Places())
  private let now: @Sendable () -> UInt64

  /// - Parameter now: monotonic milliseconds.
  package init(now: @escaping @Sendable () -> UInt64 = { MonotonicClock.nanoseconds / 1_000_000 }) { self.now = now }

  /// The servers of a backend.
  ///
  /// One that joins others that are known begins slowly; where all are new, none does.
  ///
  /// - Parameters:
  ///   - app: what the app has so far; it learns those that are new.
  ///   - rules: by which each is judged: the same for a server whichever backend asks.
  package func servers(
    _ endpoints: [UpstreamEndpoint], of app: inout AppServers, rules: (UpstreamEndpoint) -> HealthRules
  ) -> [UpstreamServer] {
    let now = now()
    let joins = endpoints.contains { app.known[$0] != nil }
    return endpoints.map { endpoint in
      let rules = rules(endpoint)
      if let known = app.known[endpoint] {
        known.adopt(rules, now: now)
        return known
      }
      let server = UpstreamServer(
        place(endpoint), health: ServerHealth(rules: rules, isNew: joins, now: now), now: now)
      app.known[endpoint] = server
      return server
    }
  }

  /// A server of an app of its own at this host and port, in the clear.
  package func server(host: String, port: UInt16) -> UpstreamServer {
    var app = AppServers(nil)
    return servers([UpstreamEndpoint(.network(host: host, port: port))], of: &app) { _ in HealthRules() }[0]
  }

  private func place(_ endpoint: UpstreamEndpoint) -> UpstreamPlace {
    places.withLock { places in
      if let place = places.known[endpoint]?.place { return place }
      if places.known.count >= places.pruneAt {
        places.known = places.known.filter { $0.value.place != nil }
        places.pruneAt = 2 * places.known.count + 64
      }
      let place = UpstreamPlace(endpoint, indices)
      places.known[endpoint] = WeakPlace(place: place)
      return place
    }
  }
}

/// The servers and loads of one app while its next version is made: first those of the version before.
package struct AppServers {
  var known: [UpstreamEndpoint: UpstreamServer] = [:]
  private let before: [Backend]

  /// - Parameter previous: the version before; nil for an app that was not loaded.
  package init(_ previous: Tenant?) {
    before = previous?.backends ?? []
    for backend in before {
      for server in backend.servers { known[server.endpoint] = server }
    }
  }

  /// The count of requests under way at this backend.
  package func load(backend: String) -> BackendLoad {
    before.first { $0.name == backend }?.load ?? BackendLoad()
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
