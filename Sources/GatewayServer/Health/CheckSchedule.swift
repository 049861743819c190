/// When each check is due: knows no clock and asks nobody. Times are monotonic milliseconds.
///
/// A look at it costs what is due, not what there is: with ten thousand apps most have nothing to do.
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
  private var running = 0
  /// What waits, first what is due first. A place whose entry has changed since counts for nothing.
  private var queue = DueQueue<Subject>()

  init() {}

  /// Takes in what is to be checked from now on besides the rest, or at another interval. What was known goes on as
  /// planned.
  ///
  /// - Parameter chance: 0..<1, at random.
  mutating func add(_ subject: Subject, every interval: UInt64, now: UInt64, chance: () -> Double) {
    guard let known = entries[subject] else {
      let spread = Double(min(firstWithin, interval / 10))
      return enter(subject, Entry(interval: interval, dueAt: now + UInt64(spread * chance())))
    }
    guard known.interval != interval else { return }
    enter(
      subject,
      Entry(interval: interval, dueAt: min(known.dueAt, now + interval), isRunning: known.isRunning))
  }

  /// Checks it no more.
  mutating func remove(_ subject: Subject) {
    if entries.removeValue(forKey: subject)?.isRunning == true { running -= 1 }
  }

  /// Those whose time has come, marked as running; `limit` run at once at most, the rest waits.
  mutating func begin(now: UInt64, limit: Int, chance: () -> Double) -> [Subject] {
    var begun: [Subject] = []
    while running < limit, let first = next, first.dueAt <= now {
      queue.removeFirst()
      guard var entry = entries[first.subject] else { continue }
      let shift = 1 + jitter * (2 * chance() - 1)
      entry.isRunning = true
      entry.dueAt = now + UInt64(Double(entry.interval) * shift)
      entries[first.subject] = entry
      running += 1
      begun.append(first.subject)
    }
    return begun
  }

  /// A check was answered or given up.
  mutating func finished(_ subject: Subject) {
    guard var entry = entries[subject], entry.isRunning else { return }
    entry.isRunning = false
    running -= 1
    enter(subject, entry)
  }

  /// When the next check is due, of those that do not run; nil where there is none.
  var nextAt: UInt64? { mutating get { next?.dueAt } }

  private var next: (dueAt: UInt64, subject: Subject)? {
    mutating get {
      while let first = queue.first {
        if let entry = entries[first.subject], !entry.isRunning, entry.dueAt == first.dueAt { return first }
        queue.removeFirst()
      }
      return nil
    }
  }

  private mutating func enter(_ subject: Subject, _ entry: Entry) {
    entries[subject] = entry
    if !entry.isRunning { queue.insert(subject, dueAt: entry.dueAt) }
  }
}

/// A binary heap by time.
private struct DueQueue<Subject> {
  private var places: [(dueAt: UInt64, subject: Subject)] = []

  var first: (dueAt: UInt64, subject: Subject)? { places.first }

  mutating func insert(_ subject: Subject, dueAt: UInt64) {
    places.append((dueAt, subject))
    var child = places.count - 1
    while child > 0, places[child].dueAt < places[(child - 1) / 2].dueAt {
      places.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() {
    places.swapAt(0, places.count - 1)
    places.removeLast()
    var parent = 0
    while true {
      let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < places.count }
      guard let least = children.min(by: { places[$0].dueAt < places[$1].dueAt }),
        places[least].dueAt < places[parent].dueAt
      else { return }
      places.swapAt(parent, least)
      parent = least
    }
  }
}
