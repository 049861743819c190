import GatewayBase
import GatewayConfig
import GatewayIO

// The folders: entered, listed, watched, and walked round for what nobody tells of.
extension TenantTree {
  /// Milliseconds between two looks at the folder of all: it may be replaced as a whole, by names above it.
  static let rootInterval: UInt64 = 250
  /// Milliseconds between two steps of the round.
  static let tick: UInt64 = 100
  /// Looks of a step. With few files a round takes a second; with a hundred thousand two minutes and no processor time.
  private var looksPerTick: Int { lacksWatches ? 1000 : 100 }
  private static let shortestRound: UInt64 = 1000

  func lookAtRoot(_ now: UInt64) {
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

  func enterRoot(_ found: (String) -> Void) {
    let before = Set(stamps.keys)
    for path in Array(folders.keys) { drop(path) }
    guard case .folder = FileSystem.look(at: root) else {
      if case .fault(let reason) = FileSystem.look(at: root) { return report(reason, at: root) }
      return report("it is not there", at: root)
    }
    report(nil, at: root)
    foldersAbove = FileSystem.foldersAbove(root)
    follow(root)
    enter(root, found)
    // Those that are not where they were.
    for path in before where !isListed(path) { found(path) }
  }

  /// Takes in a folder and all below it; `found` gets each file that is not known, or not as it is.
  func enter(_ path: String, _ found: (String) -> Void) {
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
    // And one that leads to a folder above that of all, through all that the machine has.
    guard !foldersAbove.contains(identity) else { return end(watch) }
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
  func relist(_ path: String, _ found: (String) -> Void) {
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
  func leave(_ path: String, _ now: UInt64) {
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
  func rewatch(_ path: String) {
    guard folders[path]?.watch == nil, let watch = watch(path) else { return }
    folders[path]?.watch = watch
    watches.add(path, to: watch)
  }

  /// Ends a watch that nothing needs any more.
  func end(_ watch: FolderEvents.Watch?) {
    if let watch, watches.isIdle(watch) { events?.end(watch) }
  }

  func remember(_ path: String) {
    folders[FilePath.folder(of: path)]?.files.insert(path)
    if stamps[path] == nil { stamps[path] = FileStamp.none }
  }

  func forget(_ path: String) {
    folders[FilePath.folder(of: path)]?.files.remove(path)
    stamps[path] = nil
    unreadable.remove(path)
    for watch in watches.unfollow(path) { end(watch) }
  }

  /// Has the names watched that a path depends on through links.
  func follow(_ path: String) {
    guard let events else { return }
    let steps = LinkTrail.steps(of: path)
    let before = watches.unfollow(path)
    for step in steps {
      if let watch = events.watch(step.folder) { watches.add(path, dependingOn: step.name, in: watch) }
    }
    for watch in before { end(watch) }
  }

  func goOnWithRound(_ now: UInt64) {
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
  func report(_ reason: String?, at path: String, isWhole: Bool = false) {
    guard let reason else {
      if !problems.isEmpty { problems[path] = nil }
      return
    }
    guard path == root || !FilePath.isYAML(path) || folders[path] != nil else { return }
    // What is below a folder that can't be read can't be read either: that is told once.
    guard !problems.keys.contains(where: { path.hasPrefix("\($0)/") }) else { return }
    problems = problems.filter { !$0.key.hasPrefix("\(path)/") }
    problems[path] = Problem(
      file: path, place: Place(line: 0, column: 0), severity: .warning, code: .unreadableFile,
      message: isWhole ? reason : "the folder can't be read: \(reason)",
      hint: isWhole ? "move its files up" : "make the folder, or name another by tenants in gateway.yaml")
  }

  static func isHidden(_ path: String) -> Bool {
    let name = FilePath.lastComponent(path)
    return name.hasPrefix(".") || name.hasPrefix("_")
  }
}
