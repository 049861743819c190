import GatewayIO

/// Which paths a watch is for.
struct WatchTable {
  private struct Purpose {
    /// Folders of the tree: one may be reached by several paths.
    var folders: Set<String> = []
    /// By a name in it: the paths that lead through that name.
    var names: [String: Set<String>] = [:]

    var isNone: Bool { folders.isEmpty && names.isEmpty }
  }

  private var purposes: [FolderEvents.Watch: Purpose] = [:]
  private var trails: [String: [(watch: FolderEvents.Watch, name: String)]] = [:]

  func folders(of watch: FolderEvents.Watch) -> [String] { purposes[watch]?.folders.sorted() ?? [] }

  func dependents(of watch: FolderEvents.Watch, _ name: String) -> [String] {
    purposes[watch]?.names[name]?.sorted() ?? []
  }

  mutating func add(_ folder: String, to watch: FolderEvents.Watch) {
    purposes[watch, default: Purpose()].folders.insert(folder)
  }

  mutating func add(_ path: String, dependingOn name: String, in watch: FolderEvents.Watch) {
    purposes[watch, default: Purpose()].names[name, default: []].insert(path)
    trails[path, default: []].append((watch, name))
  }

  mutating func remove(_ folder: String, from watch: FolderEvents.Watch) {
    purposes[watch]?.folders.remove(folder)
    if purposes[watch]?.isNone == true { purposes[watch] = nil }
  }

  func isIdle(_ watch: FolderEvents.Watch) -> Bool { purposes[watch] == nil }

  /// - Returns: the watches that the path depended on.
  mutating func unfollow(_ path: String) -> [FolderEvents.Watch] {
    guard let trail = trails.removeValue(forKey: path) else { return [] }
    for (watch, name) in trail {
      purposes[watch]?.names[name]?.remove(path)
      if purposes[watch]?.names[name]?.isEmpty == true { purposes[watch]?.names[name] = nil }
      if purposes[watch]?.isNone == true { purposes[watch] = nil }
    }
    return Array(Set(trail.map(\.watch)))
  }

  mutating func remove(_ watch: FolderEvents.Watch) { purposes[watch] = nil }
}
