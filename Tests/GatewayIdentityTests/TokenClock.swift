import Foundation
import GatewayBase

/// A wall clock that stands still until a test sets it.
final class TokenClock: WallClock {
  private let time: Locked<UnixTime>

  init(_ seconds: Int64 = 1_796_040_000) { time = Locked(UnixTime(seconds: seconds)) }

  var now: UnixTime { time.withLock { $0 } }

  func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// A folder of its own that goes with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("speed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var keys: String { path + "/var/keys" }

  /// The key files, hidden files apart.
  func keyFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: keys).filter { !$0.hasPrefix(".") }.sorted()
  }

  func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
  }
}
