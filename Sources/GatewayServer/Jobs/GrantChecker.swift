import GatewayBase
import GatewayIdentity
import GatewayPlugins
import ProviderKit

/// Asks providers once a day whether the grants that are kept still stand: spread over the day by when they were made,
/// and no faster than queued work is done.
final class GrantChecker: Sendable {
  /// Grants that are in memory at once.
  private static let batch = 16
  /// Nanoseconds between two looks.
  private static let interval: UInt64 = 5_000_000_000

  private let checks: GrantChecks
  private let host: ProviderHost
  private let state: PlatformState
  private let logger: Logger
  private let pace: CallPace

  init(_ checks: GrantChecks, host: ProviderHost, state: PlatformState, pace: CallPace, logger: Logger) {
    self.checks = checks
    self.host = host
    self.state = state
    self.logger = logger
    self.pace = pace
  }

  /// Looks until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        let due = try await checks.claim(Self.batch)
        for grant in due {
          await pace.turn()
          try Task.checkCancellation()
          try await check(grant)
        }
        if due.count < Self.batch { try await Task.sleep(nanoseconds: Self.interval) }
      } catch {
        if Task.isCancelled { return }
        logger.warning("grants of providers can't be checked", .text("reason", "\(error)"))
        try? await Task.sleep(nanoseconds: Self.interval)
      }
    }
  }

  private func check(_ grant: GrantChecks.Due) async throws {
    guard let app = state.directory.apps[grant.app], let plugin = state.plugins.plugin(named: grant.provider),
      let provider = plugin.provider, let secret = checks.secret(of: grant)
    else { return }
    let task = TaskRequest(
      app: state.directory.description(of: app),
      task: .check(ProviderGrant(client: grant.client, secret: secret)))
    let outcome: TaskOutcome
    do throws(TaskFailure) {
      outcome = try await provider.perform(task, using: host.services(for: plugin, app: app))
    } catch {
      logger.info(
        "a grant could not be checked", .text("user", grant.user), .integer("app", grant.app),
        .text("reason", error.reason))
      return
    }
    guard case .withdrawn = outcome else { return try await checks.stands(grant, secret: secret) }
    if try await checks.withdraw(grant) {
      logger.info(
        "a user has withdrawn the consent: the sessions have ended", .text("user", grant.user),
        .integer("app", grant.app))
    }
  }
}
