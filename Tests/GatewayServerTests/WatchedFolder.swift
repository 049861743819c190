import Foundation
import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayTesting

@testable import GatewayServer

/// A folder of tenant files with what the gateway makes of it, under a clock that the test moves.
final class WatchedFolder {
  let files: TenantFiles
  let clock = ManualClock()
  /// What the start loaded.
  let begun: TenantFiles.Update
  private let folder: TemporaryFolder
  private let logged: String
  private var now: UInt64 = 1_000_000
  private let told = Locked<[TenantFiles.Update]>([])

  /// - Parameters:
  ///   - contents: by their names; none: the folder is not there.
  ///   - folder: the one that another gateway has read before.
  ///   - events: nil for a system that tells of no change.
  ///   - history: who had what first.
  init(
    _ contents: [String: String], in folder: TemporaryFolder? = nil, events: FolderEvents? = try? FolderEvents(),
    history: (TenantFiles.FirstReading) -> ClaimHistory = { _ in ClaimHistory() }
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    let folder = self.folder
    for (name, text) in contents { try folder.write("tenants/\(name)", text) }
    logged = folder.path("log")
    try folder.write("log", "")
    let descriptor = unsafe open(logged, O_WRONLY | O_APPEND | O_CLOEXEC)
    files = TenantFiles(
      folder: folder.path("tenants"), reserved: [], environment: [:], clock: clock,
      logger: Logger(descriptor: descriptor, level: .info), events: events)
    let first = files.read(now: now)
    begun = files.begin(with: first, history: history(first))
    files.onUpdate { [told] update in told.withLock { $0.append(update) } }
  }

  /// Milliseconds pass, then the gateway looks.
  func pass(_ milliseconds: UInt64) {
    now += milliseconds
    files.look(now: now)
  }

  /// The change that was just made is noticed, and settles.
  func settle() {
    pass(0)
    pass(SettlingFiles.settling)
  }

  func readAll() { files.readAll(now: now) }

  /// `.` is the folder of tenants, and `../x` is beside it.
  func path(_ name: String) -> String { folder.path(inner(name)) }

  private func inner(_ name: String) -> String {
    name == "." ? "tenants" : name.hasPrefix("../") ? String(name.dropFirst(3)) : "tenants/\(name)"
  }

  func write(_ name: String, _ text: String) throws { try folder.write(inner(name), text) }

  /// Over whatever has that name.
  func rename(_ name: String, _ other: String) throws {
    guard unsafe Foundation.rename(path(name), path(other)) == 0 else { throw TestFailure("rename: \(errno)") }
  }

  func link(_ name: String, to target: String) throws {
    let target = target == name ? path(name) : target
    guard unsafe symlink(target, path(name)) == 0 else { throw TestFailure("symlink: \(errno)") }
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  var apps: [Int64] { files.directory.apps.keys.sorted() }
  var codes: [String] { files.problems.map(\.code.rawValue) }
  var states: [String: Int] { Dictionary(uniqueKeysWithValues: files.states.map { ($0.state, $0.count) }) }
  var updates: [TenantFiles.Update] { told.withLock { $0 } }
  var log: String { (try? String(contentsOfFile: logged, encoding: .utf8)) ?? "" }

  /// Whether a host leads to this app, or to none.
  func leads(_ host: String, to app: Int64?) -> Bool {
    HostName(host).flatMap { files.directory.app(at: $0) }?.configuration.appID == app
  }
}

/// A wall clock that stands still.
final class ManualClock: WallClock {
  var now: UnixTime { UnixTime(seconds: 1_800_000_000) }
}
