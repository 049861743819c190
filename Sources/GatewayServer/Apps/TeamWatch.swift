import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayStore

/// Tells of apps whose files name another team than that of their users in the store: beside the request's path, at the
/// start of all apps and then of those that changed.
final class TeamWatch: Sendable {
  private struct Verdict: Equatable {
    let team: String?
    let known: String
  }

  private struct State {
    /// Apps that are still to be looked at.
    var waiting: Set<Int64> = []
    /// What was told last of an app.
    var told: [Int64: Verdict] = [:]
  }

  private let teams: KnownTeams
  private let files: TenantFiles
  private let logger: Logger
  private let state = Locked(State())

  init(store: any Store, files: TenantFiles, logger: Logger) {
    teams = KnownTeams(store: store)
    self.files = files
    self.logger = logger
  }

  /// Apps that are new or that changed.
  func note(_ apps: some Sequence<Int64>) { state.withLock { $0.waiting.formUnion(apps) } }

  /// Looks until the task is cancelled, less often while the store is gone.
  func run() async {
    await StoreRounds(
      every: .seconds(1), failing: "the teams of users can't be read", recovered: "the teams of users are read again",
      logger: logger
    ).run {
      while try await look() { try await Task.sleep(for: .milliseconds(10)) }
      return .again
    }
  }

  /// Looks at some of the apps that wait.
  ///
  /// - Returns: whether there may be more of them.
  /// - Throws: `StoreError`; then they wait on.
  func look() async throws -> Bool {
    let apps = state.withLock { Array($0.waiting.prefix(Limits.teamsAskedTogether)) }
    guard !apps.isEmpty else { return false }
    let directory = files.directory
    let configurations = apps.compactMap { directory.apps[$0]?.configuration }
    let strangers = try await teams.strangers(to: configurations.map { ($0.appID, $0.ios.teamID) })
    state.withLock { $0.waiting.subtract(apps) }
    for app in configurations {
      let verdict = strangers[app.appID].map { Verdict(team: app.ios.teamID, known: $0) }
      let isNew = state.withLock { state in
        defer { state.told[app.appID] = verdict }
        return state.told[app.appID] != verdict
      }
      if let verdict, isNew, let file = files.path(of: app.appID) {
        logger.report(.teamChanged(file: file, app, known: verdict.known))
      }
    }
    return true
  }
}
