import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayServer
import GatewayStore

/// What the store tells against the files: apps whose team is not that of their users. Where there is no store, or none
/// that can be read here and now, nothing is said; it is neither made nor migrated for that.
struct TeamWarnings: Sendable {
  /// The teams of the last question, and its answer: files that did not change are not asked about again.
  private final class Memory: Sendable {
    let last = Locked<(teams: [Int64: String?], strangers: [Int64: String])?>(nil)
  }

  private let memory = Memory()

  func find(_ result: CheckResult, environment: [String: String]) async -> [Problem] {
    let apps = result.tenants.compactMap { file in file.configuration.map { (file.path, $0) } }
    let teams = Dictionary(apps.map { ($0.1.appID, $0.1.ios.teamID) }) { first, _ in first }
    guard !teams.isEmpty, let found = await strangers(to: teams, result, environment) else { return [] }
    return apps.compactMap { path, app in
      // Of two files of one app the first was asked about.
      guard let known = found[app.appID], app.ios.teamID == teams[app.appID] ?? nil else { return nil }
      return .teamChanged(file: path, app, known: known)
    }
  }

  private func strangers(
    to teams: [Int64: String?], _ result: CheckResult, _ environment: [String: String]
  ) async -> [Int64: String]? {
    if let last = memory.last.withLock({ $0 }), last.teams == teams { return last.strangers }
    let store = result.gateway.configuration.store.open(environment: environment, logger: .quiet)
    guard let state = try? await store.inspect(), state.version == state.known,
      let strangers = try? await KnownTeams(store: store).strangers(to: teams.map { (app: $0.key, team: $0.value) })
    else { return nil }
    memory.last.withLock { $0 = (teams, strangers) }
    return strangers
  }
}
