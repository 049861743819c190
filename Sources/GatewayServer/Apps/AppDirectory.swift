import GatewayBase
import GatewayConfig
import GatewayProxy
import ProviderKit

/// The apps that are loaded, at one moment: what sign-in looks them up by, and what the proxy routes by.
///
/// Immutable; a reload makes another one.
struct AppDirectory: Sendable {
  /// One app, compiled alone from its file.
  struct App: Sendable {
    let configuration: TenantConfiguration
    let tenant: Tenant
  }

  let apps: [Int64: App]
  private let domains: [HostName: Int64]
  /// Origins that apps list in `cors`.
  private let listedOrigins: Set<String>
  private let bundleConflicts: [String: [Int64]]

  init(
    _ set: TenantSet, servers: UpstreamServers, labels: AppLabels = AppLabels(), reusing previous: AppDirectory?
  ) {
    var apps: [Int64: App] = [:]
    var domains: [HostName: Int64] = [:]
    var origins: Set<String> = []
    for (_, configuration) in set.tenants {
      if let known = previous?.apps[configuration.appID], known.configuration == configuration {
        apps[configuration.appID] = known
      } else {
        let tenant = TenantCompiler.tenant(configuration, servers: servers, labels: labels)
        apps[configuration.appID] = App(configuration: configuration, tenant: tenant)
      }
      for domain in configuration.domains { domains[domain] = configuration.appID }
      if case .listed(let listed) = configuration.cors?.origins { origins.formUnion(listed) }
    }
    self.apps = apps
    self.domains = domains
    listedOrigins = origins
    bundleConflicts = set.bundleConflicts
  }

  func app(at domain: HostName) -> App? { domains[domain].flatMap { apps[$0] } }

  /// Whether pages of this origin are an app's: it lists the origin in `cors`, or it is one of its domains over
  /// HTTPS; on a developer's machine over HTTP on any port too.
  func isWebOrigin(_ origin: String) -> Bool {
    if listedOrigins.contains(origin) { return true }
    guard let url = try? ServiceURL(origin, schemes: [.https, .http]), url.origin == origin,
      case .name(let name) = url.host, domains[name] != nil
    else { return false }
    return url.isLoopback || (url.scheme == .https && url.port == url.scheme.defaultPort)
  }

  /// The app as a provider sees it.
  func description(of app: App) -> AppDescription {
    let configuration = app.configuration
    return AppDescription(
      appID: configuration.appID, name: configuration.name, domains: configuration.domains.map(\.description),
      bundleIDs: configuration.ios.bundleIDs,
      conflictedBundleIDs: configuration.ios.bundleIDs.filter { bundleConflicts[$0] != nil },
      teamID: configuration.ios.teamID, servicesID: configuration.ios.servicesID,
      hasSignInKey: configuration.ios.signInKey != nil)
  }

  /// The apps with the gateway's own hosts, as the proxy routes by them.
  func snapshot(services: [(host: HostName, service: any Service)], maxHeader: Int) -> RoutingSnapshot {
    RoutingSnapshot(services: services, tenants: apps.values.map(\.tenant), maxHeader: maxHeader)
  }
}
