import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayProxy
import Synchronization

/// The tenant files and what runs from them: each alone, the last good version kept where a new one does not check.
///
/// What can't be read now is no reason to unload an app: a folder that is gone or unreadable for a moment leaves its
/// apps as they are, and a single file is taken for removed only after a grace time (see `SettlingFiles`).
final class TenantFiles: Sendable {
  /// What changed in the apps that are loaded.
  struct Update: Sendable {
    let directory: AppDirectory
    let gone: [Tenant]
    let new: [Tenant]
    /// The claims that apps took and gave up since the last update.
    let movements: [ClaimMovement]
  }

  /// What the thread that reads works on.
  struct Work {
    let tree: TenantTree
    var set: TenantSet
    var directory = AppDirectory()
  }

  let environment: [String: String]
  let logger: Logger
  let clock: any WallClock
  let materials = TenantMaterials()
  let work: Locked<Work>
  let book = Locked(TenantBook())
  private let hasToldOfWatches = Atomic<Bool>(false)
  private let publish: Locked<@Sendable (Update) -> Void>

  /// Reads nothing yet.
  ///
  /// - Parameter events: nil where the system gives none.
  init(
    folder: String, reserved: Set<HostName>, environment: [String: String], clock: any WallClock = SystemClock(),
    logger: Logger, events: FolderEvents? = nil
  ) {
    self.environment = environment
    self.clock = clock
    self.logger = logger
    work = Locked(
      Work(
        tree: TenantTree(root: folder, events: events), set: TenantSet(reserved: reserved, notesMovements: true)))
    publish = Locked { _ in }
  }

  /// Under which names the apps are counted.
  var labels: AppLabels { materials.labels }

  /// Has each change that follows told, one after the other.
  func onUpdate(_ body: @escaping @Sendable (Update) -> Void) { publish.withLock { $0 = body } }

  /// All files as they were read for the first time.
  struct FirstReading: Sendable {
    /// A class, as it is handed on as a whole.
    fileprivate final class Found: Sendable {
      let reading: TenantReading?
      let tenant: Tenant?

      init(_ reading: TenantReading?, _ tenant: Tenant?) {
        self.reading = reading
        self.tenant = tenant
      }

      /// Nil of a file with an error.
      var app: AppDirectory.App? {
        guard let shared = reading?.file.shared, let tenant else { return nil }
        return AppDirectory.App(shared: shared, tenant: tenant)
      }
    }

    fileprivate let found: [Found]
    fileprivate let files: [String]

    /// The apps that good files name.
    var apps: Set<Int64> { Set(found.compactMap { $0.reading?.file.shared?.value.appID }) }
    var paths: Set<String> { Set(files) }
  }

  /// Reads all files for the first time, on all cores.
  func read(now: UInt64) -> FirstReading {
    work.withLock { work in
      let paths = work.tree.scan(now: now)
      let (environment, materials) = (environment, materials)
      let found = Concurrently.map(paths) { path in
        let reading = TenantReading.read(path, environment: environment).reading
        return FirstReading.Found(
          reading, reading?.file.shared.map { TenantCompiler.tenant($0.value, replacing: nil, with: materials) })
      }
      for reading in found.lazy.compactMap(\.reading) { work.tree.noteRead(reading.file.path, reading.stamp) }
      return FirstReading(found: found, files: paths)
    }
  }

  /// Loads what was read.
  ///
  /// - Parameter history: who had what first.
  func begin(with first: consuming FirstReading, history: ClaimHistory = ClaimHistory()) -> Update {
    let found = first.found
    return work.withLock { work in
      noteFolders(work.tree.problems)
      let reserved = work.set.reserved
      let good = found.compactMap(\.app)
      // Nearly always all good files are loaded, so that the directory of all of them is made at the same time.
      let (all, set) = Concurrently.both {
        AppDirectory(good)
      } _: {
        TenantSet.assemble(
          found.compactMap { $0.reading?.file.withoutWarnings }, reserved: reserved, history: history,
          notesMovements: true)
      }
      work.set = set
      let (_, new) = Concurrently.both {
        self.book.withLock { $0.reserve(found.count) }
        self.enter(found.compactMap(\.reading), affected: [], set)
      } _: {
        found.compactMap { found -> AppDirectory.App? in
          guard let path = found.reading?.file.path, set.state(of: path) == .ok else { return nil }
          return found.app
        }
      }
      work.directory = new.count == good.count ? all : AppDirectory(new)
      work.directory.replace([], with: [], bundleConflicts: set.bundleConflicts)
      return Update(
        directory: work.directory, gone: [], new: new.map(\.tenant), movements: work.set.takeMovements())
    }
  }

  /// Looks at what may have changed, and takes in what has.
  ///
  /// - Parameter now: monotonic milliseconds.
  /// - Returns: milliseconds until it should be called again at the latest.
  @discardableResult
  func look(now: UInt64) -> UInt64 {
    work.withLock { work in
      let findings = work.tree.look(now: now)
      for path in findings.missing { logger.warning("a tenant file is missing", .text("file", path)) }
      noteFolders(work.tree.problems)
      noteWatches(work.tree)
      takeIn(read(findings.changed, &work, now), gone: findings.gone, &work)
      return work.tree.rest(now: now)
    }
  }

  /// Reads every file, whatever its stamp says.
  func readAll(now: UInt64) {
    work.withLock { work in
      let paths = work.tree.scan(now: now)
      noteFolders(work.tree.problems)
      takeIn(read(paths.map { ($0, nil) }, &work, now), gone: [], &work)
    }
  }

  private func read(_ changed: [(path: String, stamp: FileStamp?)], _ work: inout Work, _ now: UInt64)
    -> [TenantReading]
  {
    guard !changed.isEmpty else { return [] }
    let known = book.withLock { book in changed.map { ($0.path, $0.stamp, book.entries[$0.path]?.digest) } }
    let environment = environment
    let found = Concurrently.map(known) { path, stamp, digest in
      (path, stamp, TenantReading.read(path, environment: environment, unlessIs: digest))
    }
    return found.compactMap { path, stamp, read in
      guard stamp == nil || read.stamp == nil || read.stamp == stamp else {
        work.tree.isStillChanging(path, now: now)
        return nil
      }
      work.tree.noteRead(path, read.stamp)
      return read.reading
    }
  }

  private func noteWatches(_ tree: TenantTree) {
    guard tree.lacksWatches, !hasToldOfWatches.exchange(true, ordering: .relaxed) else { return }
    logger.warning(
      "changes of tenant files are noticed late: the system watches no more folders (fs.inotify.max_user_watches)")
  }

  private func noteFolders(_ problems: [String: Problem]) {
    let isNew = book.withLock { book in
      let sorted = problems.values.sorted()
      guard book.folderProblems != sorted else { return [Problem]() }
      defer { book.folderProblems = sorted }
      return sorted.filter { !book.folderProblems.contains($0) }
    }
    for problem in isNew { logger.report(problem) }
  }

  /// Takes in what files say now, and has told what that changed.
  private func takeIn(_ readings: [TenantReading], gone: [String], _ work: inout Work) {
    guard !readings.isEmpty || !gone.isEmpty else { return }
    var changes: [TenantSet.Change] = []
    for path in gone {
      changes.append(work.set.remove(path))
      logger.warning("a tenant file was removed", .text("file", path))
    }
    for reading in readings { changes.append(work.set.update(reading.file.withoutWarnings)) }
    settle(changes, readings, &work)
    book.withLock { book in for path in gone { book.set(path, nil) } }
  }

  /// Compiles what is loaded now, and has it told.
  func settle(_ changes: [TenantSet.Change], _ readings: [TenantReading], _ work: inout Work) {
    let moved = Set(changes.flatMap { $0.loaded + $0.unloaded })
    let before = book.withLock { book in moved.compactMap { book.entries[$0]?.running } }
    let gone = before.compactMap { work.directory.apps[$0] }
    let new = moved.sorted().compactMap { path -> AppDirectory.App? in
      guard let shared = work.set.loaded(path) else { return nil }
      let previous = work.directory.apps[shared.value.appID]?.tenant
      return AppDirectory.App(
        shared: shared, tenant: TenantCompiler.tenant(shared.value, replacing: previous, with: materials))
    }
    work.directory.replace(gone, with: new, bundleConflicts: work.set.bundleConflicts)
    let inConflict = changes.flatMap(\.bundleIDs).flatMap { work.set.files(withBundleID: $0) }
    enter(readings, affected: moved.union(inConflict), work.set)
    let update = Update(
      directory: work.directory, gone: gone.map(\.tenant), new: new.map(\.tenant),
      movements: work.set.takeMovements())
    publish.withLock { $0 }(update)
  }

  /// The apps that are loaded now.
  var directory: AppDirectory { work.withLock { $0.directory } }

  /// The file that an app runs from.
  func path(of app: Int64) -> String? {
    book.withLock { book in book.entries.first { $0.value.running == app }?.key }
  }

  /// What is wrong with folders, and with files that are not used as they are.
  var problems: [Problem] {
    book.withLock { book in book.folderProblems + book.entries.values.flatMap(\.problems) }.sorted()
  }

  /// How many files are in each state.
  var states: [(state: String, count: Int)] { book.withLock { $0.states } }
}
