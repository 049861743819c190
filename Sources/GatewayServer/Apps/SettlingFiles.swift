import GatewayConfig

/// Decides when a file that may have changed is read, and when one that is missing is gone: takes what was seen at
/// which moment, knows no file system. Times are monotonic milliseconds.
///
/// A file is read when two looks in a row, a while apart, find it the same: whoever writes it may be half way. One that
/// is missing stays for a grace time, as editors and deployments rename.
struct SettlingFiles {
  /// Between the two looks that must find a file the same.
  static let settling: UInt64 = 200
  /// From the first look that misses a file until it is gone.
  static let grace: UInt64 = 600

  enum Sight: Equatable {
    case file(FileStamp)
    case missing
    /// What is there can't be told now, or is no file: nothing follows from that.
    case unknown
  }

  enum Verdict: Equatable {
    case wait
    /// It is whole: read it.
    case read
    /// It is missing for the first time.
    case missing
    case gone
    /// Nothing is to be done any more.
    case drop
  }

  private struct Entry {
    var sight: Sight
    var dueAt: UInt64
    var missingSince: UInt64?
  }

  private var entries: [String: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ path: String) -> Bool { entries[path] != nil }

  /// When the next look is due; nil where there is none.
  var nextAt: UInt64? { entries.values.lazy.map(\.dueAt).min() }

  /// A file may have changed. For one that is watched already, the time until it is whole begins anew if it has.
  mutating func notice(_ path: String, _ sight: Sight, now: UInt64) {
    guard var entry = entries[path] else {
      entries[path] = Entry(sight: sight, dueAt: now + Self.settling)
      return
    }
    guard entry.sight != sight else { return }
    if sight != .missing { entry.missingSince = nil }
    entry.sight = sight
    entry.dueAt = now + Self.settling
    entries[path] = entry
  }

  /// The paths that are to be looked at, in order.
  func due(now: UInt64) -> [String] { entries.filter { $0.value.dueAt <= now }.keys.sorted() }

  /// A look that was due found this.
  mutating func looked(at path: String, _ sight: Sight, now: UInt64) -> Verdict {
    guard var entry = entries[path] else { return .drop }
    defer { entries[path] = entry.dueAt == .max ? nil : entry }
    let isSame = entry.sight == sight
    entry.sight = sight
    entry.dueAt = now + Self.settling
    if sight != .missing { entry.missingSince = nil }
    switch sight {
    case .file:
      guard isSame else { return .wait }
      entry.dueAt = .max
      return .read
    case .unknown:
      entry.dueAt = .max
      return .drop
    case .missing:
      guard let since = entry.missingSince else {
        // The first look of all was when the change was told.
        entry.missingSince = isSame ? now - Self.settling : now
        return .missing
      }
      guard now - since >= Self.grace else { return .wait }
      entry.dueAt = .max
      return .gone
    }
  }

  mutating func forget(_ path: String) { entries[path] = nil }
}
