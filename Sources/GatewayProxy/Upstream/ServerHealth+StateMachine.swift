/// Whether one server of a backend should get requests: takes what happened, knows no clock and no socket.
///
/// Two judges, apart: requests that fail *eject* a server for a while; the gateway's own checks take it *down* until
/// they pass again. Times are monotonic milliseconds.
struct ServerHealth {
  /// How much a server should get.
  enum Standing: Equatable {
    case up
    /// New or back: a share that grows until then.
    case warming(until: UInt64)
    /// Passed over while another server is left.
    case ejected(until: UInt64)
    /// Gets nothing.
    case down
  }

  /// Why a request failed.
  enum Failure: Equatable {
    /// No connection, or it died before a byte of the answer.
    case unreachable
    /// No answer in time, none that is HTTP, or 502, 503 or 504: that may be the request's or a deeper backend's
    /// fault, which another server would share.
    case unserved
    /// The answer began well and broke off: as `unserved`, but the next good head is no sign that it is over.
    case brokenOff
  }

  /// A change that is worth a line of log.
  enum Change: Equatable {
    case ejected(Failure, milliseconds: UInt64)
    /// The time of an ejection is over, or it was found well before.
    case readmitted
    case wentDown
    case cameUp
  }

  /// What an ejection must leave in service: counts of the backend's servers, this one included.
  struct Siblings {
    /// Servers of the backend.
    let total: Int
    /// Those of them that are neither down nor ejected.
    let inService: Int

    /// Whether this server may go. Never the last one; and for what every server would answer alike never more than
    /// half, as the rest would get all of the load.
    func canSpareOne(for failure: Failure) -> Bool {
      guard inService > 1 else { return false }
      return failure == .unreachable || (total - inService + 1) * 2 <= total
    }
  }

  private var rules: HealthRules
  private(set) var isDown = false
  /// Failed requests in a row.
  private(set) var failures = 0
  /// Why the last of them failed.
  private var lastFailure: Failure?
  /// Failed checks in a row while it is up, good ones while it is down.
  private var checks = 0
  private var wasChecked = false
  private var ejection: (cause: Failure, until: UInt64)?
  /// Ejections that each began soon after the one before.
  private var ejectionsInARow = 0
  private var lastEjectionEnd: UInt64 = 0
  private var warmUntil: UInt64 = 0

  /// - Parameter isNew: whether it joins servers that are at work already.
  init(rules: HealthRules, isNew: Bool, now: UInt64) {
    self.rules = rules
    if isNew { warmUntil = now + rules.slowStart }
  }

  func standing(now: UInt64) -> Standing {
    if isDown { return .down }
    if let ejection { return .ejected(until: ejection.until) }
    return now < warmUntil ? .warming(until: warmUntil) : .up
  }

  /// A reload changed the rules; what is known of the server stays.
  mutating func adopt(_ rules: HealthRules) {
    if self.rules.isChecked && !rules.isChecked {
      // Nobody is left who could find it well again.
      isDown = false
      wasChecked = false
    }
    self.rules = rules
  }

  /// A request failed.
  ///
  /// - Parameters:
  ///   - chance: 0..<1, at random: so that servers that were ejected together do not come back together.
  mutating func requestFailed(_ failure: Failure, _ siblings: Siblings, now: UInt64, chance: Double) -> Change? {
    failures = min(failures + 1, 1_000_000)
    lastFailure = failure
    guard rules.ejectionFailures > 0, failures >= rules.ejectionFailures, ejection == nil, !isDown,
      siblings.canSpareOne(for: failure)
    else { return nil }
    let longest = rules.ejection << HealthRules.doublings
    if now >= lastEjectionEnd &+ longest { ejectionsInARow = 0 }
    let whole = rules.ejection << UInt64(min(ejectionsInARow, HealthRules.doublings))
    let time = whole + UInt64(Double(whole) * HealthRules.jitter * chance)
    ejectionsInARow += 1
    ejection = (failure, now + time)
    failures = 0
    return .ejected(failure, milliseconds: time)
  }

  /// An answer began, with whatever is no failure. It may still break off, so that it is good news only where answers
  /// have not done so: for those that have no end nothing else could tell.
  mutating func answerBegan(now: UInt64) -> Change? { lastFailure == .brokenOff ? nil : requestServed(now: now) }

  /// A request was answered to the end, with whatever is no failure.
  mutating func requestServed(now: UInt64) -> Change? {
    (failures, lastFailure) = (0, nil)
    // Requests get here also while it is ejected, where no other server could be reached.
    return ejection?.cause == .unreachable ? readmit(now: now) : nil
  }

  /// Time has passed.
  mutating func timePassed(now: UInt64) -> Change? {
    guard let ejection, now >= ejection.until else { return nil }
    return readmit(now: now)
  }

  private mutating func readmit(now: UInt64) -> Change? {
    ejection = nil
    lastEjectionEnd = now
    failures = 0
    warmUntil = now + rules.slowStart
    return .readmitted
  }

  /// A check was good.
  mutating func checkPassed(now: UInt64) -> Change? {
    defer { wasChecked = true }
    guard isDown else {
      checks = 0
      return ejection?.cause == .unreachable ? readmit(now: now) : nil
    }
    checks += 1
    guard checks >= rules.passes else { return nil }
    (isDown, checks, failures) = (false, 0, 0)
    (ejection, ejectionsInARow) = (nil, 0)
    warmUntil = now + rules.slowStart
    return .cameUp
  }

  /// A check was bad. The first one of all decides at once, as nothing speaks for the server yet.
  mutating func checkFailed() -> Change? {
    defer { wasChecked = true }
    guard !isDown else {
      checks = 0
      return nil
    }
    checks += 1
    guard checks >= rules.failures || !wasChecked else { return nil }
    (isDown, checks) = (true, 0)
    return .wentDown
  }
}

/// By what a server's health is judged. Times in milliseconds.
package struct HealthRules: Sendable, Equatable {
  /// Whether checks are made: only they can take a server down.
  package var isChecked = false
  /// Good checks in a row that bring a server up, bad ones that take it down.
  package var passes = 2
  package var failures = 3
  /// Failed requests in a row that eject a server; 0: none do.
  package var ejectionFailures = 5
  /// How long, the first time. Bounded, so that its doubling can't overflow.
  package var ejection: UInt64 = 10_000 { didSet { ejection = min(ejection, 86_400_000) } }
  /// How long a server that is new or back gets less than its share.
  package var slowStart: UInt64 = 10_000

  /// How often an ejection's time doubles at most, where one follows another.
  static let doublings = 4
  /// The part of an ejection's time that chance adds at most.
  static let jitter = 0.25

  package init() {}
}
