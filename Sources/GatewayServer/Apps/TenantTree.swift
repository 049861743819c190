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
  /// The folders above it, as of when it was entered.
  var foldersAbove: Set<FileSystem.FolderIdentity> = []
  let events: FolderEvents?
  /// Whether the system has refused to watch a folder: changes in it are found by the round alone.
  var lacksWatches = false
  var folders: [String: Folder] = [:]
  /// The stamps of the known files as of when they were last read.
  var stamps: [String: FileStamp] = [:]
  /// Known files that could not be read: tried again in each round, as their stamps need not change.
  var unreadable: Set<String> = []
  var settling = SettlingFiles()
  var watches = WatchTable()
  /// Where the round is: the folders and files that it has still to look at.
  var round: [String] = []
  var roundBegan: UInt64 = 0
  var rootSeenAt: UInt64 = 0
  /// Why a folder, or something that may be one, can't be read: by its path.
  var problems: [String: Problem] = [:]

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
    let isFirst = stamps.isEmpty
    var found: [String] = []
    enterRoot { path in
      if isFirst {
        found.append(path)
      } else if !isListed(path) {
        // The others are read by whoever asked.
        settling.notice(path, isGone(path) ? .missing : .unknown, now: now)
      }
    }
    // Those of one folder are in order already, which is no more to be sorted.
    return (isFirst ? found : folders.values.flatMap(\.files)).sorted(by: FilePath.precedes)
  }

  /// A file that was found whole changed while it was read.
  func isStillChanging(_ path: String, now: UInt64) { changed(path, now) }

  /// Which of the known files that can't be told to be gone are not listed now.
  func isListed(_ path: String) -> Bool { folders[FilePath.folder(of: path)]?.files.contains(path) == true }

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
  func changed(_ path: String, _ now: UInt64) {
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

  func lookAtFile(_ path: String, _ now: UInt64) {
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
  func isGone(_ path: String) -> Bool {
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
