import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy

/// What all apps are made with: what outlives their versions, and what they share.
struct TenantMaterials: Sendable {
  let servers = UpstreamServers()
  /// Under which names the apps are counted.
  let labels = AppLabels()
  let texts = SharedTexts()
}

/// Turns one app's checked configuration into what the proxy runs on.
enum TenantCompiler {
  /// - Parameter previous: the version before, whose servers go on.
  static func tenant(
    _ configuration: TenantConfiguration, replacing previous: Tenant?, with materials: TenantMaterials
  ) -> Tenant {
    let rules = rules(configuration.backends)
    var servers = AppServers(previous)
    let backends = configuration.backends.map { backend($0, rules, &servers, materials) }
    return Tenant(
      appID: configuration.appID, hosts: configuration.domains, requestFrom: configuration.requestFrom,
      hasOpaquePaths: configuration.paths == .opaque, allowsMethodOverride: configuration.methodOverride,
      routes: RouteTable(configuration.routes.map { route($0, app: configuration.appID, backends, materials.texts) }),
      backends: backends, cors: configuration.cors.map(cors),
      letsBackendsFinish: configuration.onClientGone == .drain,
      label: materials.labels.label(of: configuration.appID), texts: materials.texts)
  }

  /// By what each server is judged. One of several backends has one health: the first that checks it decides, else the
  /// first.
  private static func rules(_ backends: [BackendConfiguration]) -> [UpstreamEndpoint: HealthRules] {
    guard backends.count > 1 else { return [:] }
    let ordered = backends.filter { $0.health != nil } + backends.filter { $0.health == nil }
    return ordered.reduce(into: [:]) { known, backend in
      for server in backend.servers where known[endpoint(server, backend)] == nil {
        known[endpoint(server, backend)] = rules(backend)
      }
    }
  }

  private static func backend(
    _ configuration: BackendConfiguration, _ known: [UpstreamEndpoint: HealthRules], _ servers: inout AppServers,
    _ materials: TenantMaterials
  ) -> Backend {
    var timeouts = BackendTimeouts()
    timeouts.connect = UInt64(configuration.timeouts.connect.count)
    timeouts.response = UInt64(configuration.timeouts.response.count)
    timeouts.idle = UInt64(configuration.timeouts.idle.count)
    let rules = rules(configuration)
    let endpoints = configuration.servers.map { endpoint($0, configuration) }
    return Backend(
      name: configuration.name,
      servers: materials.servers.servers(endpoints, of: &servers) { known[$0] ?? rules },
      timeouts: timeouts, retries: configuration.retries, policy: policy(configuration.policy), rules: rules,
      check: configuration.health.map {
        Backend.Check(path: $0.path, interval: UInt64($0.interval.count), timeout: UInt64($0.timeout.count))
      },
      maxConcurrent: configuration.maxConcurrent, load: servers.load(backend: configuration.name),
      texts: materials.texts)
  }

  private static func endpoint(_ server: BackendServer, _ configuration: BackendConfiguration) -> UpstreamEndpoint {
    var endpoint: UpstreamEndpoint
    switch server {
    case .unix(let path): endpoint = UpstreamEndpoint(.unix(path: path))
    case .network(let isTLS, let host, let port):
      endpoint = UpstreamEndpoint(.network(host: host, port: port))
      if isTLS { endpoint.security = .tls(authorities: configuration.authorities) }
    }
    switch configuration.applicationProtocol {
    case .http1: endpoint.applicationProtocol = .http1
    case .h2: endpoint.applicationProtocol = .h2
    }
    return endpoint
  }

  private static func policy(_ policy: BackendConfiguration.Policy) -> Backend.Policy {
    switch policy {
    case .roundRobin: .roundRobin
    case .leastRequests: .leastRequests
    }
  }

  private static func rules(_ configuration: BackendConfiguration) -> HealthRules {
    var rules = HealthRules()
    if let health = configuration.health {
      rules.isChecked = true
      rules.passes = health.passes
      rules.failures = health.failures
    }
    rules.ejectionFailures = configuration.ejection.failures
    rules.ejection = UInt64(configuration.ejection.duration.count)
    rules.slowStart = UInt64(configuration.slowStart.count)
    return rules
  }

  private static func cors(_ configuration: CORSConfiguration) -> CORSPolicy {
    switch configuration.origins {
    case .any: CORSPolicy(.any, credentials: configuration.credentials)
    case .listed(let origins): CORSPolicy(.listed(origins), credentials: configuration.credentials)
    }
  }

  private static func route(
    _ configuration: RouteConfiguration, app: Int64, _ backends: [Backend], _ texts: SharedTexts
  ) -> Route {
    let names = configuration.methods ?? []
    let known = names.isEmpty ? [] : HTTPMethod.allCases.filter { names.contains("\($0.name)") }
    return Route(
      path: Array(configuration.path.utf8),
      methods: configuration.methods == nil ? .all : MethodSet(known.map(MethodSet.init)),
      allow: names.joined(separator: ", "), requiresToken: configuration.auth == .required,
      backend: backends[configuration.backend], maxBody: UInt64(configuration.maxBody.bytes),
      forwardsToken: configuration.forwardToken,
      limit: configuration.rateLimit.map { limit in
        RouteLimit(app: app, path: configuration.path, rule: RateRule(limit), subject: limit.by.subject)
      }, texts: texts)
  }
}

extension RateRule {
  init(_ limit: RateLimit) { self.init(requests: limit.requests, milliseconds: limit.per.count) }
}

extension RateLimit.Subject {
  fileprivate var subject: RouteLimit.Subject {
    switch self {
    case .user: .user
    case .app: .app
    case .address: .address
    }
  }
}
