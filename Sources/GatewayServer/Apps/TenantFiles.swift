import GatewayBase
import GatewayConfig
import GatewayProxy

/// The tenant files as they were last read: each alone, the last good version kept where a new one does not check.
final class TenantFiles: Sendable {
  private struct State {
    var set: TenantSet
    var stamps: [String: FileStamp]
    var folderProblems: [Problem] = []
  }

  private let folder: String
  private let environment: [String: String]
  private let servers = UpstreamServers()
  private let state: Locked<State>

  init(_ configuration: GatewayConfiguration, environment: [String: String]) {
    folder = configuration.tenants
    self.environment = environment
    state = Locked(State(set: TenantSet(reserved: configuration.reservedHosts), stamps: [:]))
    _ = refresh(force: true)
  }

  /// Reads what has changed.
  ///
  /// - Parameter force: reads every file, whatever its stamp says.
  /// - Returns: whether anything changed.
  func refresh(force: Bool) -> Bool {
    let (paths, problems) = TenantFolder.list(folder)
    return state.withLock { state in
      var changed = false
      let stamps = Dictionary(uniqueKeysWithValues: paths.map { ($0, FileStamp(path: $0)) })
      for path in paths where force || stamps[path] != state.stamps[path] {
        state.set.update(TenantFile.read(path, environment: environment))
        changed = true
      }
      for path in state.stamps.keys where stamps[path] == nil {
        state.set.remove(path)
        changed = true
      }
      state.stamps = stamps
      state.folderProblems = problems
      return changed
    }
  }

  func directory(reusing previous: AppDirectory?) -> AppDirectory {
    AppDirectory(state.withLock { $0.set }, servers: servers, reusing: previous)
  }

  var problems: [Problem] { state.withLock { $0.folderProblems + $0.set.problems } }

  /// How many files are in each state.
  var states: [(state: String, count: Int)] {
    state.withLock { state in
      [TenantSet.State.ok, .stale, .refused].map { wanted in
        (wanted.rawValue, state.stamps.keys.count { state.set.state(of: $0) == wanted })
      }
    }
  }
}
