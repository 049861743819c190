import GatewayBase
import GatewayConfig

/// What is told of each tenant file: its state, since when, and why.
struct TenantBook: Sendable {
  struct Entry: Sendable {
    var state: TenantSet.State
    var since: UnixTime
    /// The app that runs from it.
    var running: Int64?
    var digest: ContentDigest?
    /// How many warnings a good file has; those themselves are told once, in the log.
    var warnings: UInt16 = 0
    /// Tells what was told last apart from what is new: a hash.
    var told = 0
    /// Of a file that is not used as it is, and of one with a conflict.
    var problems: [Problem] = []
  }

  private(set) var entries: [String: Entry] = [:]
  private(set) var counts: [TenantSet.State: Int] = [:]
  /// Why folders can't be read.
  var folderProblems: [Problem] = []

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  mutating func set(_ path: String, _ entry: Entry?) {
    if let old = entries[path] { counts[old.state, default: 1] -= 1 }
    entries[path] = entry
    if let entry { counts[entry.state, default: 0] += 1 }
  }

  /// How many files are in each state.
  var states: [(state: String, count: Int)] {
    [TenantSet.State.ok, .stale, .refused].map { ($0.rawValue, counts[$0] ?? 0) }
  }
}
