import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayPlugins
import GatewayProxy

/// The API hosts: sign-in, sessions and keys.
struct PlatformAPI: Service {
  let state: PlatformState
  let sessions: SessionAPI
  let deletions: DeletionAPI
  let links: LinkAPI
  let balances: BalanceAPI
  let notices: NoticeAPI
  let tickets: TicketAPI
  let signIns: ProviderSignIn
  let keys: @Sendable () -> [UInt8]

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    let origin = WebOrigin(of: request, in: state.directory)
    if let preflight = origin.preflight(request) { return preflight }
    do throws(Refusal) {
      return origin.allowing(try await answer(request))
    } catch {
      return origin.allowing(.refusal(error, requestID: request.requestID))
    }
  }

  func fields(forOrigin origin: String?) -> [ServiceField] { WebOrigin(origin, in: state.directory).fields }

  private func answer(_ request: ServiceRequest) async throws(Refusal) -> ServiceResponse {
    switch request.path {
    case "/.well-known/jwks.json":
      try request.require([.get, .head])
      return ServiceResponse(
        200,
        fields: [
          ServiceField("Content-Type", "application/json"), ServiceField("Cache-Control", "public, max-age=300"),
        ],
        body: keys())
    case "/api/platform/auth/me":
      if request.method == .delete { return try await deletions.delete(request, in: state) }
      try request.require([.get, .head, .delete])
      return try await sessions.me(request, in: state.directory)
    case "/api/platform/auth/link":
      try request.require([.post])
      return try await links.link(request, in: state.directory)
    case "/api/platform/auth/me/speed-link":
      try request.require([.delete])
      return try await links.unlink(request, in: state.directory)
    case "/api/platform/auth/sign-out":
      try request.require([.post])
      return try await sessions.signOut(request, in: state.directory)
    case "/api/platform/auth/refresh":
      try request.require([.post])
      return try await sessions.refresh(request, in: state.directory)
    case "/api/platform/auth/exchange":
      try request.require([.post])
      return try await signIns.exchange(request, in: state.directory)
    default:
      if let answer = try await balances.respond(to: request, in: state.directory) { return answer }
      return try await provider(request)
    }
  }

  private func provider(_ request: ServiceRequest) async throws(Refusal) -> ServiceResponse {
    let catalog = state.plugins
    if let notices = try await notices.respond(to: request, in: state) { return notices }
    if let plugin = catalog.plugin(method: request.methodText, path: request.path) {
      switch catalog.purpose(method: request.methodText, path: request.path) {
      case .signIn: return try await signIns.respond(to: request, plugin: plugin, directory: state.directory)
      case .tickets: return try await tickets.issue(request, plugin: plugin.name, in: state.directory)
      case .notices, .web, .callback, .pages, nil: break
      }
    }
    let methods = catalog.methods(path: request.path).filter { method in
      [.signIn, .tickets].contains(catalog.purpose(method: method, path: request.path))
    }
    if !methods.isEmpty { throw .methodNotAllowed(methods.joined(separator: ", ")) }
    // A plugin that is not there at all has no routes, but an app may have been promised it.
    if let name = Self.providerName(request.path), catalog.plugin(named: name) == nil, state.directory.lists(name) {
      throw .providerUnavailable
    }
    throw .noRoute
  }

  private static func providerName(_ path: String) -> String? {
    let prefix = "/api/platform/auth/"
    guard path.hasPrefix(prefix) else { return nil }
    return path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).first.map(String.init)
  }
}

/// What the platform's services look at and a reload replaces.
final class PlatformState: Sendable {
  private let current: Locked<AppDirectory>
  private let currentPlugins: Locked<PluginCatalog>

  init(directory: AppDirectory, plugins: PluginCatalog) {
    current = Locked(directory)
    currentPlugins = Locked(plugins)
  }

  /// As it is now. Who asks for more than one thing of it takes it once.
  var plugins: PluginCatalog {
    get { currentPlugins.withLock { $0 } }
    set { currentPlugins.withLock { $0 = newValue } }
  }

  var directory: AppDirectory {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
