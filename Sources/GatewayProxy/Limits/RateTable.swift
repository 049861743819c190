/// Who is how far into its allowance: a table of fixed size that decides, and knows no clock and no lock.
///
/// A caller's place is among the eight of a bucket, which its key chooses. A caller that has its whole allowance is
/// as good as unknown, so its place is free. Where all eight are owed something, the one that owes least goes, and the
/// newcomer begins with what that one owed: a flood of made-up callers can push others out, but gains nobody a fresh
/// burst. One request always passes for a newcomer.
struct RateTable: Sendable {
  private struct Entry {
    var key: UInt64 = 0
    /// Nanoseconds at which the caller has its whole allowance again; 0: the place is free.
    var fullAt: UInt64 = 0
  }

  static let ways = 8

  private var entries: [Entry] = []
  private let capacity: Int

  /// - Parameter capacity: callers; a power of two, at least 8. The memory is taken with the first of them.
  init(capacity: Int) {
    precondition(capacity >= Self.ways && capacity & (capacity - 1) == 0)
    self.capacity = capacity
  }

  /// Counts a request, which costs its caller nothing where it does not pass.
  ///
  /// - Parameters:
  ///   - key: the caller under this rule: a hash whose seed nobody outside knows.
  ///   - now: nanoseconds of a clock that never goes back.
  mutating func count(_ key: UInt64, _ rule: RateRule, now: UInt64) -> RateStanding {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: capacity) }
    let (place, owedUntil) = place(of: key, rule, now: now)
    let limit = now + rule.window
    let fullAt = max(owedUntil, now) + rule.interval
    guard fullAt <= limit else {
      return RateStanding(passes: false, remaining: 0, reset: Self.seconds(fullAt - limit))
    }
    entries[place] = Entry(key: key, fullAt: fullAt)
    return RateStanding(passes: true, remaining: (limit - fullAt) / rule.interval, reset: Self.seconds(fullAt - now))
  }

  /// The caller's place, or the one that it gets, and until when the caller owes.
  private func place(of key: UInt64, _ rule: RateRule, now: UInt64) -> (Int, UInt64) {
    let first = Int(truncatingIfNeeded: key) & (capacity - 1) & ~(Self.ways - 1)
    var least = first
    for place in first..<first + Self.ways {
      if entries[place].key == key { return (place, entries[place].fullAt) }
      if entries[place].fullAt < entries[least].fullAt { least = place }
    }
    return (least, min(entries[least].fullAt, now + rule.window - rule.interval))
  }

  private static func seconds(_ nanoseconds: UInt64) -> UInt64 { max(1, (nanoseconds + 999_999_999) / 1_000_000_000) }
}
