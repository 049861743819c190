import GatewayBase
import GatewayConfig
import GatewayIO

/// The folder of tenant files as it was last seen, and what in it must be looked at. Of one thread.
///
/// Changes come as events of the kernel, so that their cost does not grow with the number of files. What events may miss
/// (folders on other machines, too much at once, no more watches) a slow round over all stamps finds.
final class TenantTree {
  /// What a look at what was due found.
  struct Findings {
    /// Whole files, new or changed, each with the stamp by which it was found whole; nil for one that can't be looked at.
    var changed: [(path: String, stamp: FileStamp?)] = []
    /// Known files that are missing, for the first time.
    var missing: [String] = []
    /// Known files that are gone.
    var gone: [String] = []
  }

  struct Folder {
    var identity: FileSystem.FolderIdentity
    var stamp: FileStamp
    var watch: FolderEvents.Watch?
    /// Paths of the tenant files in it, and of folders in it.
    var files: Set<String> = []
    var folders: Set<String> = []
  }

  let root: String
  private let events: FolderEvents?
  /// Whether the system has refused to watch a folder: changes in it are found by the round alone.
  private(set) var lacksWatches = false
  private(set) var folders: [String: Folder] = [:]
  /// The stamps of the known files as of when they were last read.
  private var stamps: [String: FileStamp] = [:]
  /// Known files that could not be read: tried again in each round, as their stamps need not change.
  private var unreadable: Set<String> = []
  private var settling = SettlingFiles()
  private var watches = WatchTable()
  /// Where the round is: the folders and files that it has still to look at.
  private var round: [String] = []
  private var roundBegan: UInt64 = 0
  private var rootSeenAt: UInt64 = 0
  /// Why a folder, or something that may be one, can't be read: by its path.
  private(set) var problems: [String: Problem] = [:]

  /// - Parameter events: nil where the system gives none: all is left to the round then.
  init(root: String, events: FolderEvents?) {
    self.root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
    self.events = events
  }

  /// Looks at everything. What is new is watched from before it is looked at.
  ///
  /// - Returns: all files that are there, in the order of their paths.
  func scan(now: UInt64) -> [String] {
    (round, roundBegan, rootSeenAt) = ([], now, now)
    enterRoot { path in
      // The others are read by whoever asked.
      if !isListed(path) { settling.notice(path, isGone(path) ? .missing : .unknown, now: now) }
    }
    return folders.values.flatMap(\.files).sorted(by: FilePath.precedes)
  }

  /// A file that was found whole changed while it was read.
  func isStillChanging(_ path: String, now: UInt64) { changed(path, now) }

  /// Which of the known files that can't be told to be gone are not listed now.
  private func isListed(_ path: String) -> Bool { folders[FilePath.folder(of: path)]?.files.contains(path) == true }

  /// Remembers what a file was as it was read.
  func noteRead(_ path: String, _ stamp: FileStamp?) {
    settling.forget(path)
    if let stamp {
      stamps[path] = stamp
      unreadable.remove(path)
    } else {
      unreadable.insert(path)
    }
  }

  /// Takes in what has been told, looks at what is due, and goes on with the round.
  func look(now: UInt64) -> Findings {
    takeEvents(now)
    if now >= rootSeenAt + Self.rootInterval { lookAtRoot(now) }
    goOnWithRound(now)
    var findings = Findings()
    for path in settling.due(now: now) { settle(path, now, &findings) }
    return findings
  }

  /// Milliseconds until `look` should be called again at the latest.
  func rest(now: UInt64) -> UInt64 {
    let next = min(settling.nextAt ?? .max, now + Self.tick)
    return next > now ? next - now : 0
  }

  // MARK: What is told

  private func takeEvents(_ now: UInt64) {
    guard let events else { return }
    for event in events.take() {
      switch event {
      case .name(let watch, let name):
        for folder in watches.folders(of: watch) {
          childChanged(FilePath.join(folder, name), now)
          // What was told needs not be found by the round again.
          if case .folder(_, let stamp) = FileSystem.look(at: folder) { folders[folder]?.stamp = stamp }
        }
        for path in watches.dependents(of: watch, name) { changed(path, now) }
      case .folder(let watch):
        for folder in watches.folders(of: watch) { changed(folder, now) }
      case .ended(let watch):
        for folder in watches.folders(of: watch) {
          folders[folder]?.watch = nil
          changed(folder, now)
        }
        watches.remove(watch)
      case .overflow:
        // Everything, as fast as it goes.
        rootSeenAt = 0
        for path in Array(folders.keys) { relist(path) { changed($0, now) } }
        for path in Array(stamps.keys) { lookAtFile(path, now) }
      }
    }
  }

  private func childChanged(_ path: String, _ now: UInt64) {
    guard !Self.isHidden(path) else { return }
    if FilePath.isYAML(path) || folders[path] != nil || settling.contains(path) { return changed(path, now) }
    if case .folder = FileSystem.look(at: path) { changed(path, now) }
  }

  /// Something about a path changed: it is looked at now if it is a folder, and watched until it is whole if not.
  private func changed(_ path: String, _ now: UInt64) {
    if path == root { return lookAtRoot(now) }
    switch FileSystem.look(at: path) {
    case .folder(let identity, _):
      report(nil, at: path)
      if stamps[path] != nil { settling.notice(path, .unknown, now: now) }
      if folders[path]?.identity == identity {
        rewatch(path)
        relist(path) { changed($0, now) }
      } else {
        leave(path, now)
        enter(path) { changed($0, now) }
      }
    case .absent:
      report(nil, at: path)
      leave(path, now)
      settling.notice(path, isGone(path) ? .missing : .unknown, now: now)
    case .file(let stamp):
      report(nil, at: path)
      leave(path, now)
      guard FilePath.isYAML(path) else { return }
      follow(path)
      settling.notice(path, .file(stamp), now: now)
    case .other(let stamp): settling.notice(path, .file(stamp), now: now)
    case .fault(let reason):
      report(reason, at: path)
      settling.notice(path, .unknown, now: now)
    }
  }

  private func lookAtFile(_ path: String, _ now: UInt64) {
    guard !settling.contains(path) else { return }
    switch FileSystem.look(at: path) {
    case .file(let stamp), .other(let stamp):
      if stamps[path] != stamp || unreadable.contains(path) { changed(path, now) }
    case .absent, .folder: changed(path, now)
    case .fault: if !unreadable.contains(path) { changed(path, now) }
    }
  }

  private func settle(_ path: String, _ now: UInt64, _ findings: inout Findings) {
    let sight: SettlingFiles.Sight
    let look = FileSystem.look(at: path)
    switch look {
    case .file(let stamp), .other(let stamp): sight = .file(stamp)
    case .absent: sight = isGone(path) ? .missing : .unknown
    case .folder, .fault: sight = .unknown
    }
    let isKnown = stamps[path] != nil
    switch settling.looked(at: path, sight, now: now) {
    case .wait: break
    case .read:
      if case .file(let stamp) = sight, stamps[path] == stamp, !unreadable.contains(path) { return }
      remember(path)
      if case .file(let stamp) = sight { findings.changed.append((path, stamp)) }
    case .missing: if isKnown { findings.missing.append(path) }
    case .gone:
      forget(path)
      if isKnown { findings.gone.append(path) }
    case .drop:
      if case .folder = look, isKnown {
        forget(path)
        findings.gone.append(path)
      } else if case .fault = look, isKnown, !unreadable.contains(path) {
        findings.changed.append((path, nil))
      }
    }
  }

  /// Whether a path that leads nowhere is known to be gone: not where the folder that it was in can't be looked at.
  private func isGone(_ path: String) -> Bool {
    var folder = path
    while folder != root, folder.count > root.count {
      folder = FilePath.folder(of: folder)
      switch FileSystem.look(at: folder) {
      case .folder: return true
      case .absent: continue
      case .file, .other, .fault: return false
      }
    }
    return false
  }
}

// Folders.
extension TenantTree {
  /// Milliseconds between two looks at the folder of all: it may be replaced as a whole, by names above it.
  private static let rootInterval: UInt64 = 250
  /// Milliseconds between two steps of the round.
  private static let tick: UInt64 = 100
  /// Looks of a step. With few files a round takes a second; with a hundred thousand two minutes and no processor time.
  private var looksPerTick: Int { lacksWatches ? 1000 : 100 }
  private static let shortestRound: UInt64 = 1000

  private func lookAtRoot(_ now: UInt64) {
    rootSeenAt = now
    switch FileSystem.look(at: root) {
    case .folder(let identity, let stamp):
      guard let known = folders[root], known.identity == identity, problems[root] == nil else {
        return enterRoot { changed($0, now) }
      }
      // What is watched is told; what else there is the round finds.
      guard known.watch == nil else { return }
      rewatch(root)
      if known.stamp != stamp { relist(root) { changed($0, now) } }
    case .absent: report("it is not there", at: root)
    case .file, .other: report("it is no folder", at: root)
    case .fault(let reason): report(reason, at: root)
    }
  }

  private func enterRoot(_ found: (String) -> Void) {
    let before = Set(stamps.keys)
    for path in Array(folders.keys) { drop(path) }
    guard case .folder = FileSystem.look(at: root) else {
      if case .fault(let reason) = FileSystem.look(at: root) { return report(reason, at: root) }
      return report("it is not there", at: root)
    }
    report(nil, at: root)
    follow(root)
    enter(root, found)
    // Those that are not where they were.
    for path in before where !isListed(path) { found(path) }
  }

  /// Takes in a folder and all below it; `found` gets each file that is not known, or not as it is.
  private func enter(_ path: String, _ found: (String) -> Void) {
    // Watched before it is listed: what changes from here on is told.
    let watch = watch(path)
    guard case .folder(let identity, let stamp) = FileSystem.look(at: path) else { return }
    var above = path
    var depth = 0
    while above != root, above.count > root.count {
      above = FilePath.folder(of: above)
      depth += 1
      // A link that leads back to a folder above would be walked for ever.
      if folders[above]?.identity == identity { return end(watch) }
    }
    guard depth < Limits.folderDepth else {
      end(watch)
      return report("folders are nested over \(Limits.folderDepth) deep; this one is not read", at: path, isWhole: true)
    }
    folders[path] = Folder(identity: identity, stamp: stamp, watch: watch)
    if let watch { watches.add(path, to: watch) }
    if path != root { folders[FilePath.folder(of: path)]?.folders.insert(path) }
    list(path, found)
  }

  /// Looks for names that came or went.
  private func relist(_ path: String, _ found: (String) -> Void) {
    guard case .folder(_, let stamp) = FileSystem.look(at: path), let known = folders[path] else { return }
    folders[path]?.stamp = stamp
    list(path, found)
    let now = folders[path]
    for file in known.files.subtracting(now?.files ?? []) { found(file) }
    for folder in known.folders.subtracting(now?.folders ?? []) { found(folder) }
  }

  private func list(_ path: String, _ found: (String) -> Void) {
    let entries: [(name: String, kind: FileSystem.EntryKind)]
    do throws(FileSystem.Fault) {
      entries = try FileSystem.entries(in: path)
    } catch {
      return report(error.reason, at: path)
    }
    report(nil, at: path)
    let known = (files: folders[path]?.files ?? [], folders: folders[path]?.folders ?? [])
    folders[path]?.files = []
    folders[path]?.folders = []
    for (name, kind) in entries where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let child = FilePath.join(path, name)
      switch kind {
      case .file: add(child, to: path, known.files, found)
      case .folder: add(folder: child, to: path, known.folders, found)
      case .link, .unknown:
        if kind == .link { follow(child) }
        switch FileSystem.look(at: child) {
        case .folder: add(folder: child, to: path, known.folders, found)
        case .fault(let reason):
          // Whether it is a folder can't be told, so neither whether what was in it is gone.
          report(reason, at: child)
          if folders[child] != nil { folders[path]?.folders.insert(child) }
          if FilePath.isYAML(name) { add(child, to: path, known.files, found) }
        case .file, .other, .absent: add(child, to: path, known.files, found)
        }
      }
    }
  }

  private func add(_ file: String, to folder: String, _ known: Set<String>, _ found: (String) -> Void) {
    guard FilePath.isYAML(file) else { return }
    folders[folder]?.files.insert(file)
    if stamps[file] == nil { stamps[file] = FileStamp.none }
    if !known.contains(file) { found(file) }
  }

  private func add(folder: String, to parent: String, _ known: Set<String>, _ found: (String) -> Void) {
    folders[parent]?.folders.insert(folder)
    if folders[folder] == nil { enter(folder, found) }
  }

  /// A folder is not what it was: forgets it and what it knew of folders below, and has its files looked at.
  private func leave(_ path: String, _ now: UInt64) {
    guard let folder = folders[path] else { return }
    drop(path)
    for below in folder.folders { leave(below, now) }
    for file in folder.files { settling.notice(file, isGone(file) ? .missing : .unknown, now: now) }
  }

  private func drop(_ path: String) {
    guard let folder = folders.removeValue(forKey: path), let watch = folder.watch else { return }
    watches.remove(path, from: watch)
    end(watch)
  }

  private func watch(_ path: String) -> FolderEvents.Watch? {
    let watch = events?.watch(path)
    if watch == nil, case .folder = FileSystem.look(at: path) { lacksWatches = true }
    return watch
  }

  /// Watches a folder again that is the same to the eye: another one may have its number now.
  private func rewatch(_ path: String) {
    guard folders[path]?.watch == nil, let watch = watch(path) else { return }
    folders[path]?.watch = watch
    watches.add(path, to: watch)
  }

  /// Ends a watch that nothing needs any more.
  private func end(_ watch: FolderEvents.Watch?) {
    if let watch, watches.isIdle(watch) { events?.end(watch) }
  }

  private func remember(_ path: String) {
    folders[FilePath.folder(of: path)]?.files.insert(path)
    if stamps[path] == nil { stamps[path] = FileStamp.none }
  }

  private func forget(_ path: String) {
    folders[FilePath.folder(of: path)]?.files.remove(path)
    stamps[path] = nil
    unreadable.remove(path)
    for watch in watches.unfollow(path) { end(watch) }
  }

  /// Has the names watched that a path depends on through links.
  private func follow(_ path: String) {
    guard let events else { return }
    let steps = LinkTrail.steps(of: path)
    let before = watches.unfollow(path)
    for step in steps {
      if let watch = events.watch(step.folder) { watches.add(path, dependingOn: step.name, in: watch) }
    }
    for watch in before { end(watch) }
  }

  private func goOnWithRound(_ now: UInt64) {
    if round.isEmpty {
      guard now >= roundBegan + Self.shortestRound else { return }
      roundBegan = now
      round = Array(folders.keys)
    }
    var looks = looksPerTick
    while looks > 0, let path = round.popLast() {
      looks -= 1
      guard let folder = folders[path] else {
        lookAtFile(path, now)
        continue
      }
      if case .folder(let identity, let stamp) = FileSystem.look(at: path), identity == folder.identity,
        problems[path] == nil
      {
        if stamp != folder.stamp { relist(path) { changed($0, now) } }
        round.append(contentsOf: folder.files)
      } else {
        changed(path, now)
      }
    }
  }

  /// Takes in why a folder can't be read; nil: it can.
  private func report(_ reason: String?, at path: String, isWhole: Bool = false) {
    guard let reason else {
      if !problems.isEmpty { problems[path] = nil }
      return
    }
    guard path == root || !FilePath.isYAML(path) || folders[path] != nil else { return }
    problems[path] = Problem(
      file: path, place: Place(line: 0, column: 0), severity: .warning, code: .unreadableFile,
      message: isWhole ? reason : "the folder can't be read: \(reason)",
      hint: isWhole ? "move its files up" : "make the folder, or name another by tenants in gateway.yaml")
  }

  private static func isHidden(_ path: String) -> Bool {
    let name = FilePath.lastComponent(path)
    return name.hasPrefix(".") || name.hasPrefix("_")
  }
}
