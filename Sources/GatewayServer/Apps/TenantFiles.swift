import GatewayBase
import GatewayConfig
import GatewayProxy

/// The tenant files as they were last read: each alone, the last good version kept where a new one does not check.
///
/// What can't be read now is no reason to unload an app: a folder that is gone or unreadable for a moment leaves its
/// apps as they are, and a single file is taken for removed only when two looks in a row miss it (editors and
/// deployments rename).
final class TenantFiles: Sendable {
  private struct State {
    var set: TenantSet
    /// The files that are known, with what they were when they were last read.
    var stamps: [String: FileStamp] = [:]
    /// Known files that could not be read: tried again at each look, as their stamps need not change.
    var unreadable: Set<String> = []
    /// Known files that the last look missed.
    var missing: Set<String> = []
    var folderProblems: [Problem] = []
  }

  private let folder: String
  private let environment: [String: String]
  private let logger: Logger
  private let servers = UpstreamServers()
  /// Under which names the apps are counted.
  let labels = AppLabels()
  private let state: Locked<State>

  init(_ configuration: GatewayConfiguration, environment: [String: String], logger: Logger) {
    folder = configuration.tenants
    self.environment = environment
    self.logger = logger
    state = Locked(State(set: TenantSet(reserved: configuration.reservedHosts)))
    _ = refresh(force: true)
  }

  /// Reads what has changed.
  ///
  /// - Parameter force: reads every file, whatever its stamp says.
  /// - Returns: whether anything changed, problems included.
  func refresh(force: Bool) -> Bool {
    let listing = TenantFolder.list(folder)
    return state.withLock { state in
      var hasChanged = state.folderProblems != listing.problems
      state.folderProblems = listing.problems
      for path in listing.paths {
        let stamp = FileStamp(path: path)
        let isChanged = force || state.stamps[path] != stamp
        guard isChanged || state.unreadable.contains(path) else { continue }
        state.stamps[path] = stamp
        if read(path, &state) || isChanged { hasChanged = true }
      }
      if removeMissing(listing, &state) { hasChanged = true }
      return hasChanged
    }
  }

  /// Reads one file; false where it can't be read.
  private func read(_ path: String, _ state: inout State) -> Bool {
    let file = TenantFile.read(path, environment: environment)
    state.set.update(file)
    if file.isReadable { state.unreadable.remove(path) } else { state.unreadable.insert(path) }
    return file.isReadable
  }

  /// Removes the files that two looks in a row have missed; false where there were none.
  private func removeMissing(_ listing: TenantFolder.Listing, _ state: inout State) -> Bool {
    let listed = Set(listing.paths)
    let missing = Set(state.stamps.keys.filter { !listed.contains($0) && !listing.leavesOpen($0) })
    let removed = missing.intersection(state.missing)
    state.missing = missing.subtracting(removed)
    for path in state.missing.sorted() { logger.warning("a tenant file is missing", .text("file", path)) }
    for path in removed.sorted() {
      state.set.remove(path)
      state.stamps[path] = nil
      state.unreadable.remove(path)
      logger.warning("a tenant file was removed", .text("file", path))
    }
    return !removed.isEmpty
  }

  func directory(reusing previous: AppDirectory?) -> AppDirectory {
    let directory = AppDirectory(state.withLock { $0.set }, servers: servers, labels: labels, reusing: previous)
    servers.prune { directory.apps.values.map(\.tenant) }
    return directory
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

extension TenantFile {
  fileprivate var isReadable: Bool { !problems.contains { $0.code == .unreadableFile } }
}
