import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayOutbound
import GatewayPlugins

/// What the gateway has for its providers: one for all of them, from which each call gets its own services.
final class ProviderHost: Sendable {
  let keySets: KeySets
  let issuers: IssuerKeySets
  let client: OutboundClient
  let configuration: GatewayConfiguration
  let environment: [String: String]
  let clock: any WallClock
  let logger: Logger
  /// Nil where a command asks providers.
  let means: ProviderMeans?
  private let gate = Locked(CallGate())

  init(
    _ configuration: GatewayConfiguration, means: ProviderMeans? = nil, environment: [String: String],
    clock: any WallClock, logger: Logger
  ) {
    client = OutboundClient()
    keySets = KeySets(client: client, logger: logger)
    issuers = IssuerKeySets(client: client, logger: logger)
    self.configuration = configuration
    self.environment = environment
    self.clock = clock
    self.logger = logger
    self.means = means
  }

  /// The services of a plugin in the name of an app; nil where the call is about none.
  func services(for plugin: Plugin, app: AppDirectory.App?) -> HostServices {
    HostServices(
      provider: plugin.name, settings: plugin.settings.map(configuration.pluginSettings) ?? [:], host: self,
      app: app?.configuration.appID, signInKey: app?.configuration.ios.signInKey, relay: app?.configuration.relay)
  }

  /// Sends a request, unless its host has not answered lately.
  func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
    let origin = request.url.origin
    guard gate.withLock({ $0.mayCall(origin, now: Self.now) }) else { throw .unreachable }
    do throws(OutboundError) {
      let response = try await client.send(request)
      gate.withLock { $0.callEnded(origin, answered: true, now: Self.now) }
      return response
    } catch {
      gate.withLock { $0.callEnded(origin, answered: false, now: Self.now) }
      throw error
    }
  }

  private static var now: UInt64 { MonotonicClock.nanoseconds / 1_000_000 }
}
