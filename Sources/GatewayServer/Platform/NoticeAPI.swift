import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// What providers' own services tell about users, from server to server.
struct NoticeAPI: Sendable {
  let accounts: Accounts
  let host: ProviderHost
  let jobs: ProviderJobRunner
  let logger: Logger
  private let recent = Locked(RecentNotices(capacity: Limits.recentNotices))

  init(accounts: Accounts, host: ProviderHost, jobs: ProviderJobRunner, logger: Logger) {
    self.accounts = accounts
    self.host = host
    self.jobs = jobs
    self.logger = logger
  }

  /// The answer to a notice; nil for a path that is none of notices.
  func respond(to request: ServiceRequest, in state: PlatformState) async throws(Refusal) -> ServiceResponse? {
    guard let slash = request.path.lastIndex(of: "/") else { return nil }
    let path = String(request.path[...slash])
    let catalog = state.plugins
    let methods = catalog.methods(path: path)
    guard methods.contains(where: { catalog.purpose(method: $0, path: path) == .notices }) else { return nil }
    guard let plugin = catalog.plugin(method: request.methodText, path: path) else {
      throw .methodNotAllowed(methods.joined(separator: ", "))
    }
    // One spelling for each app: `Int64` would take `+1` and `01` too.
    let number = request.path[request.path.index(after: slash)...]
    guard let id = Int64(number), String(id) == number, let app = state.directory.apps[id] else {
      throw .targetNotFound
    }
    guard app.configuration.providers.contains(plugin.name) else { throw .providerNotEnabled }
    // The same bytes again are a repeat: they cost a digest.
    let digest = Digest.sha256(Array("\(id):".utf8) + request.body)
    if recent.withLock({ $0.holds(digest) }) { return Self.received }
    try await act(on: request, plugin, app, state)
    recent.withLock { $0.add(digest) }
    return Self.received
  }

  private static var received: ServiceResponse { .json(200, Array("{}".utf8)) }

  private func act(
    on request: ServiceRequest, _ plugin: Plugin, _ app: AppDirectory.App, _ state: PlatformState
  ) async throws(Refusal) {
    guard let provider = plugin.provider else { throw .providerUnavailable }
    let notice: ProviderNotice
    do throws(ProviderFailure) {
      notice = try await provider.readNotice(
        NoticeRequest(
          app: state.directory.description(of: app), body: request.body, requestID: request.requestID),
        using: host.services(for: plugin, app: app))
    } catch {
      logger.info(
        "a notice was refused", .text("code", error.code), .text("reason", error.reason),
        .text("provider", plugin.name), .integer("app", app.configuration.appID),
        .text("requestId", request.requestID))
      throw Refusal(error)
    }
    do {
      let effects = try await accounts.apply(
        VerifiedNotice(notice, app: app.configuration.appID),
        from: request.auditOrigin)
      if !effects.isEmpty { jobs.wake() }
      for effect in effects {
        logger.info(
          "a provider told of a user", .text("event", effect.kind), .text("user", effect.user),
          .integer("app", app.configuration.appID), .text("requestId", request.requestID))
      }
    } catch {
      throw Refusal(error, "a notice failed", .text("requestId", request.requestID), in: logger)
    }
  }
}

extension VerifiedNotice {
  fileprivate init(_ notice: ProviderNotice, app: Int64) {
    self.init(
      app: app,
      replayKey: GatewayIdentity.ReplayKey(notice.replayKey),
      events: notice.events.map { event in
        Event(
          Self.kind(event.kind), issuer: event.issuer, team: event.team, subject: event.subject,
          time: UnixTime(milliseconds: event.time))
      })
  }

  private static func kind(_ kind: ProviderEvent.Kind) -> Event.Kind {
    switch kind {
    case .consentWithdrawn: .consentWithdrawn
    case .accountDeleted: .accountDeleted
    case .emailDisabled: .emailDisabled
    case .emailEnabled: .emailEnabled
    }
  }
}

/// Digests of the last notices that were acted on.
struct RecentNotices {
  private let capacity: Int
  private var current: Set<[UInt8]> = []
  private var previous: Set<[UInt8]> = []

  init(capacity: Int) { self.capacity = capacity }

  func holds(_ digest: [UInt8]) -> Bool { current.contains(digest) || previous.contains(digest) }

  /// The older half goes when there are too many.
  mutating func add(_ digest: [UInt8]) {
    current.insert(digest)
    guard current.count > capacity / 2 else { return }
    previous = current
    current = []
  }
}
