/// When each check is due: knows no clock and asks nobody. Times are monotonic milliseconds.
struct CheckSchedule<Subject: Hashable> {
  private struct Entry {
    var interval: UInt64
    var dueAt: UInt64
    var isRunning = false
  }

  /// The part of an interval by which a check comes earlier or later at random, so that checks that began together
  /// do not stay together.
  private let jitter = 0.1
  /// The longest time within which those that are new are asked first, all spread over it.
  private let firstWithin: UInt64 = 500

  private var entries: [Subject: Entry] = [:]

  init() {}

  /// Takes in what is to be checked from now on, each with its interval. What was known goes on as planned.
  ///
  /// - Parameter chance: 0..<1, at random.
  mutating func plan(_ intervals: [Subject: UInt64], now: UInt64, chance: () -> Double) {
    entries = Dictionary(
      uniqueKeysWithValues: intervals.map { subject, interval in
        if var known = entries[subject] {
          if known.interval != interval {
            known.interval = interval
            known.dueAt = min(known.dueAt, now + interval)
          }
          return (subject, known)
        }
        let spread = Double(min(firstWithin, interval / 10))
        return (subject, Entry(interval: interval, dueAt: now + UInt64(spread * chance())))
      })
  }

  /// Those whose time has come, marked as running; `limit` run at once at most, the rest waits.
  mutating func begin(now: UInt64, limit: Int, chance: () -> Double) -> [Subject] {
    var room = limit - entries.values.count { $0.isRunning }
    let due = entries.filter { !$0.value.isRunning && $0.value.dueAt <= now }.sorted { $0.value.dueAt < $1.value.dueAt }
    return due.compactMap { subject, entry in
      guard room > 0 else { return nil }
      room -= 1
      let shift = 1 + jitter * (2 * chance() - 1)
      entries[subject]?.isRunning = true
      entries[subject]?.dueAt = now + UInt64(Double(entry.interval) * shift)
      return subject
    }
  }

  /// A check was answered or given up.
  mutating func finished(_ subject: Subject) { entries[subject]?.isRunning = false }

  /// When the next check is due, of those that do not run; nil where there is none.
  var nextAt: UInt64? { entries.values.filter { !$0.isRunning }.map(\.dueAt).min() }
}
