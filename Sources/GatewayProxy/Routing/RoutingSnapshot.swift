import GatewayBase

/// Everything that decides where a request goes, at one moment. A reload builds a new one aside and swaps it in; a
/// request sees the old one or the new one, never a mix.
package final class RoutingSnapshot: Sendable {
  let hosts: HostTable
  /// The apps that are loaded.
  let apps: Set<Int64>
  /// Bytes of a request head: 431 beyond.
  let maxHeader: Int

  /// - Parameters:
  ///   - services: the gateway's own hosts, which no app can take.
  ///   - tenants: apps whose hosts are theirs alone; of two with one host the first keeps it.
  package init(
    services: [(host: HostName, service: any Service)], tenants: [Tenant], maxHeader: Int = Limits.requestHead
  ) {
    var sites: [(HostName, Site)] = services.map { ($0.host, .service($0.service)) }
    for tenant in tenants {
      for host in tenant.hosts {
        let fields = "Host: \(host)\r\nX-Forwarded-Host: \(host)\r\n"
        sites.append((host, .tenant(tenant, hostFields: Array(fields.utf8) + tenant.appFields)))
      }
    }
    hosts = HostTable(sites)
    apps = Set(tenants.map(\.appID))
    self.maxHeader = min(maxHeader, Limits.requestHeadCeiling)
  }
}
