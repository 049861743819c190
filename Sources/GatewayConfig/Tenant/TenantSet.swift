import GatewayBase

/// All tenants together: which files are loaded, and what stands between those that are not.
///
/// A change of one file costs what that file claims, and what waited for its claims: never the number of files.
package struct TenantSet: Sendable {
  /// What an update did.
  package struct Change: Sendable, Equatable {
    /// Files whose tenant is now loaded, or loaded anew.
    package internal(set) var loaded: [String] = []
    /// Files whose tenant is no longer loaded.
    package internal(set) var unloaded: [String] = []
    /// Bundle IDs that came into a conflict or out of one.
    package internal(set) var bundleIDs: Set<String> = []
  }

  package enum State: String, Sendable {
    case ok
    /// The file is refused as it is now; its last good version runs on.
    case stale
    case refused
  }

  struct Entry: Sendable {
    var latest: TenantFile
    /// The version that is loaded.
    var active: TenantFile?
    var isLatestActive = false
  }

  private(set) var entries: [String: Entry] = [:]
  /// The file that holds an exclusive claim.
  private(set) var owners: [TenantClaim: String] = [:]
  /// The loaded files that make a claim which several may make.
  private(set) var sharers: [TenantClaim: [String]] = [:]
  /// Refused files that would be good if they got the claim.
  private var waiting: [TenantClaim: Set<String>] = [:]
  /// The bundle IDs that two or more loaded apps have, with the numbers of those apps: nobody signs in by them.
  package private(set) var bundleConflicts: [String: [Int64]] = [:]

  let reserved: Set<HostName>
  let history: ClaimHistory

  /// - Parameters:
  ///   - reserved: the gateway's own hosts, which no app gets.
  ///   - history: who had what first, as far as it is known.
  package init(reserved: Set<HostName>, history: ClaimHistory = ClaimHistory()) {
    self.reserved = reserved
    self.history = history
  }

  /// Builds the set from all files. Who comes first keeps what both claim: by history, then by the order of paths.
  package static func assemble(
    _ files: [TenantFile], reserved: Set<HostName>, history: ClaimHistory = ClaimHistory()
  ) -> TenantSet {
    var set = TenantSet(reserved: reserved, history: history)
    func isKnown(_ file: TenantFile) -> Bool {
      file.configuration.map { history.files[$0.appID] == file.path } ?? false
    }
    let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for file in sorted.filter(isKnown) + sorted.filter({ !isKnown($0) }) { set.update(file) }
    return set
  }

  /// The loaded tenants with their files, in no order.
  package var tenants: [(path: String, configuration: TenantConfiguration)] {
    entries.compactMap { path, entry in entry.active?.configuration.map { (path, $0) } }
  }

  /// The loaded version of a file.
  package func tenant(at path: String) -> TenantConfiguration? { entries[path]?.active?.configuration }

  package func state(of path: String) -> State? {
    entries[path].map { $0.isLatestActive ? .ok : $0.active == nil ? .refused : .stale }
  }

  /// Takes a new or changed file. Where it is refused, the version that was loaded before stays.
  @discardableResult
  package mutating func update(_ file: TenantFile) -> Change {
    var change = Change()
    if let old = entries[file.path] { stopWaiting(old) }
    entries[file.path, default: Entry(latest: file)].latest = file
    entries[file.path]?.isLatestActive = false
    settle([file.path], &change)
    return change
  }

  /// Takes a file away, and its tenant with it.
  @discardableResult
  package mutating func remove(_ path: String) -> Change {
    var change = Change()
    guard let entry = entries.removeValue(forKey: path) else { return change }
    stopWaiting(entry)
    guard let active = entry.active else { return change }
    change.unloaded.append(path)
    settle(release(active, keeping: [], &change), &change)
    return change
  }

  /// Loads what can be loaded of `paths`, and then of the files that waited for what became free by that.
  private mutating func settle(_ paths: [String], _ change: inout Change) {
    var queue = paths
    while !queue.isEmpty {
      let path = queue.removeFirst()
      guard let entry = entries[path], !entry.isLatestActive else { continue }
      let file = entry.latest
      guard file.configuration != nil else { continue }
      guard !isBlocked(file) else {
        for claim in file.exclusiveClaims { waiting[claim, default: []].insert(path) }
        continue
      }
      stopWaiting(entry)
      var freed: [String] = []
      if let active = entry.active { freed = release(active, keeping: Set(file.claims.map(\.claim)), &change) }
      acquire(file, &change)
      entries[path] = Entry(latest: file, active: file, isLatestActive: true)
      change.loaded.append(path)
      queue += freed
    }
  }

  private func isBlocked(_ file: TenantFile) -> Bool {
    file.claims.contains { obstacle(to: $0.claim, of: file) != nil }
  }

  private mutating func acquire(_ file: TenantFile, _ change: inout Change) {
    for claim in file.claims.map(\.claim) {
      if claim.isExclusive {
        owners[claim] = file.path
      } else if sharers[claim]?.contains(file.path) != true {
        sharers[claim, default: []].append(file.path)
      }
    }
    noteConflicts(of: file, loading: file, &change)
  }

  /// Gives up the claims of a loaded file but for those that its next version keeps.
  ///
  /// - Returns: the files that waited for them, in the order of their paths.
  private mutating func release(_ file: TenantFile, keeping kept: Set<TenantClaim>, _ change: inout Change) -> [String]
  {
    var waiters: Set<String> = []
    for claim in file.claims.map(\.claim) where !kept.contains(claim) {
      if claim.isExclusive {
        owners[claim] = nil
        waiters.formUnion(waiting[claim] ?? [])
      } else {
        sharers[claim]?.removeAll { $0 == file.path }
        if sharers[claim]?.isEmpty == true { sharers[claim] = nil }
      }
    }
    noteConflicts(of: file, loading: nil, &change)
    return waiters.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Works out anew whether the bundle IDs of `file` are in conflict.
  ///
  /// - Parameter loading: the version that is about to be the loaded one of its path.
  private mutating func noteConflicts(of file: TenantFile, loading: TenantFile?, _ change: inout Change) {
    for claim in file.claims.map(\.claim) where claim.kind == .bundleID {
      let apps = (sharers[claim] ?? []).compactMap { path in
        loading?.path == path ? loading?.configuration?.appID : entries[path]?.active?.configuration?.appID
      }.sorted()
      let conflict = apps.count > 1 ? apps : nil
      if bundleConflicts[claim.value] != conflict {
        bundleConflicts[claim.value] = conflict
        change.bundleIDs.insert(claim.value)
      }
    }
  }

  private mutating func stopWaiting(_ entry: Entry) {
    guard !entry.isLatestActive else { return }
    for claim in entry.latest.exclusiveClaims {
      waiting[claim]?.remove(entry.latest.path)
      if waiting[claim]?.isEmpty == true { waiting[claim] = nil }
    }
  }
}

extension TenantFile {
  var exclusiveClaims: [TenantClaim] { claims.map(\.claim).filter(\.isExclusive) }
}
