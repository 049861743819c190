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
    var isLatestActive = false
    /// The version that is loaded, where that is not the latest. Boxed, as next to no file has one.
    fileprivate var older: OlderVersion?

    /// The version that is loaded.
    var active: TenantFile? { isLatestActive ? latest : older?.file }
  }

  fileprivate final class OlderVersion: Sendable {
    let file: TenantFile

    init(_ file: TenantFile) { self.file = file }
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

  package let reserved: Set<HostName>
  let reservedNames: Set<String>
  /// What is known of claims besides who has them here: those of other apps, and those that are nobody's now.
  private(set) var history: ClaimHistory
  /// What became of claims since `takeMovements`; nil where nobody asks.
  private var movements: [ClaimMovement]?

  /// - Parameters:
  ///   - reserved: the gateway's own hosts, which no app gets.
  ///   - history: who had what first, as far as it is known.
  ///   - notesMovements: whether somebody calls `takeMovements`.
  package init(
    reserved: Set<HostName>, history: ClaimHistory = ClaimHistory(), notesMovements: Bool = false
  ) {
    self.reserved = reserved
    reservedNames = Set(reserved.map(\.description))
    self.history = history
    movements = notesMovements ? [] : nil
  }

  /// Builds the set from all files. Who comes first keeps what both claim: by history, then by the order of paths.
  package static func assemble(
    _ files: [TenantFile], reserved: Set<HostName>, history: ClaimHistory = ClaimHistory(),
    notesMovements: Bool = false
  ) -> TenantSet {
    var set = TenantSet(reserved: reserved, history: history, notesMovements: notesMovements)
    set.entries.reserveCapacity(files.count)
    set.owners.reserveCapacity(files.reduce(0) { $0 + $1.claims.count })
    func isKnown(_ file: TenantFile) -> Bool {
      file.configuration.map { history.files[$0.appID] == file.path } ?? false
    }
    let areSorted = zip(files, files.dropFirst()).allSatisfy { FilePath.precedes($0.path, $1.path) }
    let sorted = areSorted ? files : files.sorted { FilePath.precedes($0.path, $1.path) }
    if history.files.isEmpty {
      for file in sorted { set.update(file) }
    } else {
      for file in sorted.filter(isKnown) + sorted.filter({ !isKnown($0) }) { set.update(file) }
    }
    // What agrees with the files was taken out of it one by one; its table would keep the size that it had.
    set.history = ClaimHistory(
      owners: set.history.owners.filter { _ in true }, files: set.history.files.filter { _ in true })
    return set
  }

  /// The loaded tenants with their files, in no order.
  package var tenants: [(path: String, configuration: TenantConfiguration)] {
    entries.compactMap { path, entry in entry.active?.configuration.map { (path, $0) } }
  }

  /// The loaded version of a file.
  package func tenant(at path: String) -> TenantConfiguration? { entries[path]?.active?.configuration }

  /// The same, behind its reference.
  package func loaded(_ path: String) -> SharedConfiguration? { entries[path]?.active?.shared }

  /// The loaded files that have a bundle ID.
  package func files(withBundleID id: String) -> [String] { sharers[TenantClaim(kind: .bundleID, value: id)] ?? [] }

  package func state(of path: String) -> State? {
    entries[path].map { $0.isLatestActive ? .ok : $0.active == nil ? .refused : .stale }
  }

  /// Takes a new or changed file. Where it is refused, the version that was loaded before stays.
  @discardableResult
  package mutating func update(_ file: TenantFile) -> Change {
    var change = Change()
    var entry = Entry(latest: file)
    if let old = entries[file.path] {
      stopWaiting(old)
      entry.older = old.isLatestActive ? OlderVersion(old.latest) : old.older
    }
    entries[file.path] = entry
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
      entries[path] = Entry(latest: file, isLatestActive: true)
      change.loaded.append(path)
      queue += freed
    }
  }

  private func isBlocked(_ file: TenantFile) -> Bool {
    file.claims.contains { obstacle(to: $0.claim, of: file) != nil }
  }

  private mutating func acquire(_ file: TenantFile, _ change: inout Change) {
    for claim in file.claims.lazy.map(\.claim) {
      if claim.isExclusive {
        if owners.updateValue(file.path, forKey: claim) != file.path { noteTaken(claim, by: file) }
      } else if Self.add(file.path, to: &sharers[claim, default: []]) {
        noteTaken(claim, by: file)
      }
    }
    noteConflicts(of: file, loading: file, &change)
  }

  /// - Returns: whether it is the first.
  private static func add(_ path: String, to sharers: inout [String]) -> Bool {
    if !sharers.contains(path) {
      sharers.append(path)
      return sharers.count == 1
    }
    return false
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
        noteLeft(claim, by: file)
        waiters.formUnion(waiting[claim] ?? [])
      } else {
        let wasFirst = sharers[claim]?.first == file.path
        sharers[claim]?.removeAll { $0 == file.path }
        if sharers[claim]?.isEmpty == true { sharers[claim] = nil }
        if wasFirst {
          noteLeft(claim, by: file)
          if let next = sharers[claim]?.first.flatMap({ entries[$0]?.active }) { noteTaken(claim, by: next) }
        }
      }
    }
    noteConflicts(of: file, loading: nil, &change)
    return waiters.sorted(by: FilePath.precedes)
  }

  /// Works out anew whether the bundle IDs of `file` are in conflict.
  ///
  /// - Parameter loading: the version that is about to be the loaded one of its path.
  private mutating func noteConflicts(of file: TenantFile, loading: TenantFile?, _ change: inout Change) {
    for claim in file.claims.lazy.map(\.claim) where claim.kind == .bundleID {
      let paths = sharers[claim] ?? []
      // Nearly all are one app's alone.
      if paths.count < 2, bundleConflicts.isEmpty { continue }
      let apps = paths.compactMap { path in
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
    guard !entry.isLatestActive, !waiting.isEmpty else { return }
    for claim in entry.latest.exclusiveClaims {
      waiting[claim]?.remove(entry.latest.path)
      if waiting[claim]?.isEmpty == true { waiting[claim] = nil }
    }
  }
}

// What is known of claims from elsewhere: earlier runs and other nodes.
extension TenantSet {
  /// What became of claims since the last call, in order.
  package mutating func takeMovements() -> [ClaimMovement] {
    defer { if movements != nil { movements = [] } }
    return movements ?? []
  }

  /// The claims that files wait for because of apps that are not loaded here, with those apps.
  package var awaited: [TenantClaim: Int64] {
    waiting.keys.reduce(into: [:]) { awaited, claim in
      if owners[claim] == nil, let app = history.owners[claim] { awaited[claim] = app }
    }
  }

  /// Whether a file names this app, used or not.
  package func isNamed(app: Int64) -> Bool {
    entries.values.contains { $0.latest.shared?.value.appID == app || $0.active?.shared?.value.appID == app }
  }

  /// Learns that a claim is another app's, or another file's where it is an app ID: it was first. Whoever has it here
  /// gives it up.
  @discardableResult
  package mutating func learn(_ claim: TenantClaim, app: Int64, file: String?) -> Change {
    var change = Change()
    let holder = owners[claim]
    let active = holder.flatMap { entries[$0]?.active }
    if claim.kind == .app {
      guard let file, holder != file else { return change }
      history.files[app] = file
    } else {
      guard active?.configuration?.appID != app else { return change }
      history.owners[claim] = app
    }
    guard let holder, let active, var entry = entries[holder] else { return change }
    stopWaiting(entry)
    entry.isLatestActive = false
    entry.older = nil
    entries[holder] = entry
    change.unloaded.append(holder)
    let waiters = release(active, keeping: [], &change)
    let first = waiters.filter { $0 == file }
    settle(first + waiters.filter { $0 != file } + [holder], &change)
    return change
  }

  /// Learns that a claim is nobody's any more.
  @discardableResult
  package mutating func forget(_ claim: TenantClaim) -> Change {
    var change = Change()
    guard history.owners.removeValue(forKey: claim) != nil else { return change }
    settle((waiting[claim] ?? []).sorted(by: FilePath.precedes), &change)
    return change
  }

  private mutating func noteTaken(_ claim: TenantClaim, by file: TenantFile) {
    guard let app = file.configuration?.appID else { return }
    let isKnown: Bool
    if claim.kind == .app {
      isKnown = history.files.removeValue(forKey: app) == file.path
    } else {
      isKnown = history.owners[claim] == app
      if isKnown { history.owners[claim] = nil }
    }
    if !isKnown { movements?.append(ClaimMovement(.taken, claim, app: app, file: file.path)) }
  }

  private mutating func noteLeft(_ claim: TenantClaim, by file: TenantFile) {
    guard let app = file.configuration?.appID else { return }
    movements?.append(ClaimMovement(.left, claim, app: app, file: file.path))
  }
}

extension TenantFile {
  var exclusiveClaims: [TenantClaim] { claims.map(\.claim).filter(\.isExclusive) }
}
