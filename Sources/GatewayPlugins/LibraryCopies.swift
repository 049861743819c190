import GatewayBase
import GatewayConfig
import GatewayIO
import Glibc

/// A private folder with a copy of each library that is loaded, so that a library which is written to, replaced or
/// removed never pulls the ground from under the process that runs it. Each content has one copy, under a path that is
/// never used for another one: the loader takes a path that it knows for the library that it has.
///
/// The folder goes with this object; those of processes that were killed go with the next one that makes one.
final class LibraryCopies: Sendable {
  private struct State {
    /// Nil until the first copy, and where there is no place for one.
    var folder: String?
    /// Held as long as the process lives: tells others that the folder is in use.
    var lock: Int32 = -1
    /// Of each plugin, the libraries that it ever had.
    var copies: [String: [String]] = [:]
    var count = 0
  }

  private static let prefix = "speed-gateway-plugins-"
  /// `ST_NOEXEC` of statvfs(3), a macro that Swift does not see.
  private static let noExecution: UInt = 8
  private let executableFolder: String
  private let state = Locked(State())

  init(executableFolder: String) { self.executableFolder = executableFolder }

  deinit { remove() }

  /// Libraries that were copied so far.
  var count: Int { state.withLock { $0.count } }

  /// Where a copy of a library is.
  ///
  /// - Parameter original: the file that the bytes are of; libraries beside it stay reachable for its own.
  func path(of bytes: [UInt8], plugin: String, original: String) throws(PluginFailure) -> String {
    let result: Result<String, PluginFailure> = state.withLock { state in
      for path in state.copies[plugin] ?? [] where Self.holds(path, bytes) { return .success(path) }
      guard state.count < Limits.pluginCopies else {
        return .failure(
          PluginFailure("\(Limits.pluginCopies) libraries were loaded since the start: restart the gateway"))
      }
      do throws(PluginFailure) {
        let path = try copy(bytes, original: original, &state)
        state.copies[plugin, default: []].append(path)
        state.count += 1
        return .success(path)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Removes the folder. What is loaded stays loaded.
  func remove() {
    state.withLock { state in
      guard let folder = state.folder else { return }
      Self.remove(folder)
      close(state.lock)
      state = State(count: state.count)
    }
  }

  private static func holds(_ path: String, _ bytes: [UInt8]) -> Bool {
    (try? FileSystem.read(path, limit: bytes.count)) == bytes
  }

  private func copy(_ bytes: [UInt8], original: String, _ state: inout State) throws(PluginFailure) -> String {
    if state.folder == nil { try makeFolder(&state) }
    guard let root = state.folder, let slash = original.lastIndex(of: "/") else {
      throw PluginFailure("the library can't be copied: there is no folder for it")
    }
    let (beside, name) = (String(original[..<slash]), String(original[original.index(after: slash)...]))
    // Two folders deep, as an installed plugin is below the folder of the installed Swift libraries.
    let folder = "\(root)/plugins/\(state.count)"
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Self.failure("mkdir") }
    for (sibling, _) in ((try? FileSystem.entries(in: beside)) ?? [])
      .lazy.filter({ $0.name != name && $0.name.contains(".so") }).prefix(Limits.plugins)
    {
      _ = unsafe symlink("\(beside)/\(sibling)", "\(folder)/\(sibling)")
    }
    let path = "\(folder)/\(name)"
    try Self.write(bytes, to: path)
    return path
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(PluginFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o500)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    guard WholeWrite.write(bytes, to: descriptor) else {
      let failure = failure("write")
      unsafe unlink(path)
      throw failure
    }
  }

  /// In the first place for temporary files from which libraries can be loaded.
  private func makeFolder(_ state: inout State) throws(PluginFailure) {
    let places = [Environment.variables["TMPDIR"], "/tmp", "/var/tmp", "/dev/shm"].compactMap(\.self)
    for place in places where place.hasPrefix("/") && Self.allowsCode(place) {
      Self.removeAbandoned(in: place)
      var template = Array("\(place)/\(Self.prefix)XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      state.lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      _ = flock(state.lock, LOCK_EX | LOCK_NB)
      _ = unsafe mkdir("\(folder)/plugins", 0o700)
      _ = unsafe symlink("\(executableFolder)/../lib/speed-gateway/swift", "\(folder)/swift")
      state.folder = folder
      return
    }
    throw PluginFailure("no temporary folder allows code (noexec): set TMPDIR to one that does")
  }

  private static func allowsCode(_ folder: String) -> Bool {
    var status = statvfs()
    return unsafe statvfs(folder, &status) == 0 && status.f_flag & noExecution == 0
  }

  /// Those whose process is gone. A fresh one may not have its lock yet.
  private static func removeAbandoned(in place: String) {
    for (name, _) in (try? FileSystem.entries(in: place)) ?? [] where name.hasPrefix(prefix) {
      let folder = "\(place)/\(name)"
      let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
        status.st_mtim.tv_sec < time(nil) - 60, flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(folder)
    }
  }

  private static func remove(_ folder: String) {
    let plugins = "\(folder)/plugins"
    for (number, _) in (try? FileSystem.entries(in: plugins)) ?? [] {
      let folder = "\(plugins)/\(number)"
      for (name, _) in (try? FileSystem.entries(in: folder)) ?? [] { unsafe unlink("\(folder)/\(name)") }
      unsafe rmdir(folder)
    }
    unsafe rmdir(plugins)
    unsafe unlink("\(folder)/swift")
    unsafe rmdir(folder)
  }

  private static func failure(_ call: String) -> PluginFailure {
    PluginFailure("the library can't be copied: \(call): \(unsafe String(cString: strerror(errno)))")
  }
}
