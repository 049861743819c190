import GatewayBase

extension TenantSet {
  /// A file that names a domain.
  package struct Claimant: Sendable {
    package let path: String
    package let state: State
    /// Where it names it.
    package let place: String
    /// What keeps it from being loaded as it is.
    package let obstacles: [Problem]
  }

  /// The files that name a host as a domain, whether they have it or not.
  package func claimants(of host: HostName) -> [Claimant] {
    let claim = TenantClaim(kind: .domain, value: host.description)
    return entries.values.compactMap { entry in
      let file = entry.latest
      guard let placed = file.claims.first(where: { $0.claim == claim }), let state = state(of: file.path) else {
        return nil
      }
      return Claimant(
        path: file.path, state: state, place: "\(file.path):\(placed.line):\(placed.column)",
        obstacles: problems(of: file.path).filter { $0.severity == .error })
    }.sorted { $0.path < $1.path }
  }

  /// Whether the host is the gateway's own.
  package func reserves(_ host: HostName) -> Bool { reserved.contains(host) }
}
