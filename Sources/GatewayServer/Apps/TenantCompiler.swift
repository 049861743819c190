import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy

/// Turns one app's checked configuration into what the proxy runs on.
enum TenantCompiler {
  static func tenant(_ configuration: TenantConfiguration, servers: UpstreamServers) -> Tenant {
    let backends = configuration.backends.map { backend($0, app: configuration.appID, servers) }
    return Tenant(
      appID: configuration.appID, hosts: configuration.domains, requestFrom: configuration.requestFrom,
      hasOpaquePaths: configuration.paths == .opaque, allowsMethodOverride: configuration.methodOverride,
      routes: RouteTable(configuration.routes.map { route($0, backends) }))
  }

  private static func backend(
    _ configuration: BackendConfiguration, app: Int64, _ servers: UpstreamServers
  ) -> Backend {
    var timeouts = BackendTimeouts()
    timeouts.connect = UInt64(configuration.timeouts.connect.count)
    timeouts.response = UInt64(configuration.timeouts.response.count)
    timeouts.idle = UInt64(configuration.timeouts.idle.count)
    return Backend(
      name: configuration.name,
      servers: configuration.servers.map { servers.server(app: app, host: $0.host, port: $0.port) },
      timeouts: timeouts, retries: configuration.retries)
  }

  private static func route(_ configuration: RouteConfiguration, _ backends: [Backend]) -> Route {
    let names = configuration.methods ?? []
    let known = HTTPMethod.allCases.filter { names.contains("\($0.name)") }
    return Route(
      path: Array(configuration.path.utf8),
      methods: configuration.methods == nil ? .all : MethodSet(known.map(MethodSet.init)),
      allow: names.joined(separator: ", "), requiresToken: configuration.auth == .required,
      backend: backends[configuration.backend], maxBody: UInt64(configuration.maxBody.bytes),
      forwardsToken: configuration.forwardToken)
  }
}
