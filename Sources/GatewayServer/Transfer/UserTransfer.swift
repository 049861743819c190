import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayIdentity
import GatewayPlugins
import GatewayStore
import ProviderKit

/// Moves the users of an app to another team at their provider, one by one: the giving side asks for transfer ids, the
/// side that has got the app asks who they are. One user's failure is told and passed over; running it again goes on
/// with those that are left.
package struct UserTransfer: Sendable {
  package enum Side: Sendable {
    /// - Parameter target: the team that will have the app.
    case give(target: String)
    case take
  }

  /// Why nothing is done at all.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  package struct Outcome: Sendable, Equatable {
    package var moved = 0
    package var failed = 0
  }

  /// Users that are in memory at once.
  private static let page = 100

  private let side: Side
  private let app: AppDirectory.App
  private let team: String
  private let directory: AppDirectory
  private let plugins: PluginCatalog
  private let host: ProviderHost
  private let identities: IdentityTransfer

  /// - Throws: `Problem` where the app is not there, has no team, or is to be given to its own or to what is no team.
  package init(
    _ side: Side, app id: Int64, _ configuration: GatewayConfiguration, environment: [String: String], store: any Store,
    logger: Logger
  ) throws(Problem) {
    let clock = SystemClock()
    let files = TenantFiles(
      folder: configuration.tenants, reserved: configuration.reservedHosts, environment: environment, clock: clock,
      logger: logger)
    directory = files.begin(with: files.read(now: MonotonicClock.nanoseconds / 1_000_000)).directory
    guard let app = directory.apps[id] else { throw Problem(description: "no app has the number \(id)") }
    guard let team = app.configuration.ios.teamID, app.configuration.ios.signInKey != nil else {
      throw Problem(description: "the app has no team and no sign-in key")
    }
    if case .give(let target) = side {
      guard isAppleID(target) else {
        throw Problem(description: "the target is no team ID: it has ten capital letters and digits")
      }
      guard target != team else {
        throw Problem(description: "the target is the app's own team: name the one that will have it")
      }
    }
    self.side = side
    self.app = app
    self.team = team
    plugins = PluginCatalog.load(folder: configuration.plugins)
    host = ProviderHost(configuration, environment: environment, clock: clock, logger: logger)
    identities = IdentityTransfer(store: store, clock: clock, app: id)
  }

  /// Moves all that are left.
  ///
  /// - Parameters:
  ///   - isTrial: asks the provider for the first user alone, and keeps nothing.
  ///   - tell: hears of each failure: a user's id and a few words.
  package func run(isTrial: Bool, tell: (_ user: String, _ reason: String) throws -> Void) async throws -> Outcome {
    var outcome = Outcome()
    var session: [UInt8]?
    var last = ""
    while true {
      let page = try await next(after: last)
      guard let end = page.last else { return outcome }
      for identity in page {
        do {
          session = try await move(identity, session, isTrial: isTrial)
          outcome.moved += 1
        } catch let failure as TaskFailure {
          outcome.failed += 1
          try tell(identity.user, failure.reason)
        } catch StoreError.uniqueViolation {
          outcome.failed += 1
          try tell(identity.user, "the person has signed in to the new team as another account")
        }
        if isTrial { return outcome }
      }
      last = end.subject
    }
  }

  private func next(after subject: String) async throws -> [IdentityTransfer.Pending] {
    switch side {
    case .give: try await identities.toGive(team: team, after: subject, limit: Self.page)
    case .take: try await identities.toTake(newTeam: team, after: subject, limit: Self.page)
    }
  }

  /// - Returns: what the provider wants to see again with the next user.
  private func move(
    _ identity: IdentityTransfer.Pending, _ session: [UInt8]?, isTrial: Bool
  ) async throws -> [UInt8] {
    guard let plugin = plugins.plugin(named: identity.provider), let provider = plugin.provider else {
      throw TaskFailure("the plugin is not loaded")
    }
    let step: TransferRequest.Step =
      switch side {
      case .give(let target): .give(subject: identity.subject, target: target)
      case .take: .take(transferID: identity.transferID ?? "")
      }
    let answer = try await provider.transfer(
      TransferRequest(
        app: directory.description(of: app), client: identity.client ?? app.configuration.ios.bundleIDs.first ?? "",
        step: step, session: session),
      using: host.services(for: plugin, app: app))
    guard !isTrial else { return answer.session }
    switch answer.result {
    case .given(let id): try await identities.given(identity, transferID: id)
    case .taken(let subject, let email, let isPrivate):
      try await identities.taken(identity, team: team, subject: subject, email: email, isPrivateEmail: isPrivate)
    }
    return answer.session
  }
}
