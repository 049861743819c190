import GatewayBase
import GatewayConfig
import GatewayProxy
import ProviderKit

/// The apps that are loaded, at one moment: what sign-in looks them up by, and what the proxy routes by.
///
/// A value: a reload changes a copy, which costs what the changed apps cost.
struct AppDirectory: Sendable {
  /// One app, compiled alone from its file.
  struct App: Sendable {
    let shared: SharedConfiguration
    let tenant: Tenant

    var configuration: TenantConfiguration { shared.value }
  }

  private(set) var apps = ShardedMap<Int64, App>()
  private var domains = ShardedMap<HostName, Int64>()
  /// How many apps list an origin in `cors`.
  private var listedOrigins = ShardedMap<String, Int>()
  /// How many apps list a provider.
  private var providers: [String: Int] = [:]
  /// How many entries of apps name an issuer.
  private var issuers: [String: Int] = [:]
  private var bundleConflicts: [String: [Int64]] = [:]

  /// - Parameter apps: of which no two have a number or a domain in common, where all are loaded.
  init(_ apps: [App] = []) { for app in apps { add(app) } }

  /// Puts versions of apps in the place of others.
  mutating func replace(_ gone: [App], with new: [App], bundleConflicts: [String: [Int64]]) {
    for app in gone { remove(app) }
    for app in new { add(app) }
    self.bundleConflicts = bundleConflicts
  }

  private mutating func add(_ app: App) {
    let configuration = app.configuration
    apps[configuration.appID] = app
    for domain in configuration.domains { domains[domain] = configuration.appID }
    for origin in configuration.listedOrigins { listedOrigins[origin] = (listedOrigins[origin] ?? 0) + 1 }
    for provider in configuration.providers { providers[provider, default: 0] += 1 }
    for entry in configuration.relay?.issuers ?? [] { issuers[entry.issuer.text, default: 0] += 1 }
  }

  private mutating func remove(_ app: App) {
    let configuration = app.configuration
    apps[configuration.appID] = nil
    for domain in configuration.domains { domains[domain] = nil }
    for origin in configuration.listedOrigins {
      let left = (listedOrigins[origin] ?? 1) - 1
      listedOrigins[origin] = left > 0 ? left : nil
    }
    for provider in configuration.providers {
      let left = (providers[provider] ?? 1) - 1
      providers[provider] = left > 0 ? left : nil
    }
    for entry in configuration.relay?.issuers ?? [] {
      let left = (issuers[entry.issuer.text] ?? 1) - 1
      issuers[entry.issuer.text] = left > 0 ? left : nil
    }
  }

  func app(at domain: HostName) -> App? { domains[domain].flatMap { apps[$0] } }

  /// Whether an app lists this provider.
  func lists(_ provider: String) -> Bool { providers[provider] != nil }

  /// Whether an app takes tokens of this issuer.
  func names(issuer: String) -> Bool { issuers[issuer] != nil }

  /// Whether pages of this origin are an app's: it lists the origin in `cors`, or it is one of its domains over
  /// HTTPS; on a developer's machine over HTTP on any port too.
  func isWebOrigin(_ origin: String) -> Bool {
    if listedOrigins[origin] != nil { return true }
    guard let url = try? ServiceURL(origin, schemes: [.https, .http]), url.origin == origin,
      case .name(let name) = url.host, domains[name] != nil
    else { return false }
    return url.isLoopback || (url.scheme == .https && url.port == url.scheme.defaultPort)
  }

  /// The app as a provider sees it.
  func description(of app: App) -> AppDescription {
    let configuration = app.configuration
    let audiences = configuration.ios.bundleIDs + (configuration.ios.servicesID.map { [$0] } ?? [])
    return AppDescription(
      appID: configuration.appID, name: configuration.name, domains: configuration.domains.map(\.description),
      bundleIDs: configuration.ios.bundleIDs,
      conflictedBundleIDs: audiences.filter { bundleConflicts[$0] != nil },
      teamID: configuration.ios.teamID, servicesID: configuration.ios.servicesID,
      hasSignInKey: configuration.ios.signInKey != nil,
      relay: RelayDescription(
        issuers: (configuration.relay?.issuers ?? []).map {
          RelayDescription.Issuer(issuer: $0.issuer.text, audience: $0.audience)
        }, hasVerifier: configuration.relay?.verifier != nil))
  }

  /// The apps with the gateway's own hosts, as the proxy routes by them.
  func snapshot(services: [(host: HostName, service: any Service)], maxHeader: Int) -> RoutingSnapshot {
    RoutingSnapshot(services: services, tenants: apps.values.lazy.map(\.tenant), maxHeader: maxHeader)
  }
}

extension TenantConfiguration {
  fileprivate var listedOrigins: [String] {
    if case .listed(let origins) = cors?.origins { origins } else { [] }
  }
}
