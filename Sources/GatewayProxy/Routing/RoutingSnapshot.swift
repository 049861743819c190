import GatewayBase

/// Everything that decides where a request goes, at one moment. A reload builds a new one aside and swaps it in; a
/// request sees the old one or the new one, never a mix.
package final class RoutingSnapshot: Sendable {
  let hosts: HostTable
  /// The apps that are loaded.
  let apps: ShardedMap<Int64, Tenant>
  /// Bytes of a request head: 431 beyond.
  let maxHeader: Int

  /// - Parameters:
  ///   - services: the gateway's own hosts, which no app can take.
  ///   - tenants: apps whose hosts are theirs alone; of two with one host the first keeps it.
  package init(
    services: [(host: HostName, service: any Service)], tenants: some Sequence<Tenant>,
    maxHeader: Int = Limits.requestHead
  ) {
    let tenants = Array(tenants)
    var hosts = HostTable(services: services)
    hosts.reserve(for: tenants)
    var apps = ShardedMap<Int64, Tenant>()
    for tenant in tenants {
      hosts.insert(tenant)
      apps[tenant.appID] = tenant
    }
    self.hosts = hosts
    self.apps = apps
    self.maxHeader = min(maxHeader, Limits.requestHeadCeiling)
  }

  private init(hosts: HostTable, apps: ShardedMap<Int64, Tenant>, maxHeader: Int) {
    self.hosts = hosts
    self.apps = apps
    self.maxHeader = maxHeader
  }

  /// The snapshot after a change of some apps; its cost is that of those.
  ///
  /// - Parameters:
  ///   - gone: apps, or versions of them, that are loaded no more.
  ///   - new: apps, or versions of them, that are loaded now.
  package func replacing(_ gone: [Tenant], with new: [Tenant]) -> RoutingSnapshot {
    var (hosts, apps) = (hosts, apps)
    // All that goes first: an app may take over what another had.
    for tenant in gone {
      hosts.remove(tenant)
      apps[tenant.appID] = nil
    }
    for tenant in new {
      hosts.insert(tenant)
      apps[tenant.appID] = tenant
    }
    return RoutingSnapshot(hosts: hosts, apps: apps, maxHeader: maxHeader)
  }
}
