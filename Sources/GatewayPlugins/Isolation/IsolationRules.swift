import GatewayBase

/// Decides when an isolated plugin's process is started, asked whether it is well, and ended. Times are monotonic
/// milliseconds.
struct IsolationRules {
  /// Where a process is in its life.
  enum Phase: Equatable {
    /// There is none until this time. Then: `starting`.
    case waiting(until: UInt64)
    /// It loads its library. Then: `ready`, `waiting`.
    case starting(since: UInt64)
    /// It serves. Then: `waiting`.
    case ready(since: UInt64)
  }

  /// What is to be done.
  enum Action: Equatable {
    case start
    case ping(UInt64)
    /// The process is to be ended, for this reason.
    case end(String)
  }

  private(set) var phase = Phase.waiting(until: 0)
  /// Ends in a row, each soon after its start.
  private var failures: UInt64 = 0
  private var lastPing: UInt64 = 0
  private var pingedAt: UInt64 = 0
  private var isPingAnswered = true

  var isReady: Bool { if case .ready = phase { true } else { false } }

  /// Whether a call that begins now may have an answer: there is a process, or there will be one soon.
  func mayServe(soon now: UInt64) -> Bool {
    if case .waiting(let until) = phase { until <= now + Limits.pluginWait } else { true }
  }

  mutating func processStarted(now: UInt64) { phase = .starting(since: now) }

  mutating func helloReceived(now: UInt64) {
    phase = .ready(since: now)
    (pingedAt, isPingAnswered) = (now, true)
  }

  /// - Returns: whether that was the number that was sent last.
  mutating func pongReceived(_ number: UInt64) -> Bool {
    guard number == lastPing, !isPingAnswered else { return false }
    isPingAnswered = true
    return true
  }

  /// - Returns: milliseconds until the next start.
  @discardableResult
  mutating func processEnded(now: UInt64) -> UInt64 {
    if case .ready(let since) = phase, now - since >= Limits.pluginHealthy { failures = 0 }
    let pause = min(Limits.pluginPauses.upperBound, Limits.pluginPauses.lowerBound << min(failures, 16))
    failures += 1
    phase = .waiting(until: now + pause)
    return pause
  }

  /// What is due.
  mutating func action(now: UInt64) -> Action? {
    switch phase {
    case .waiting(let until): return now >= until ? .start : nil
    case .starting(let since):
      return now - since > Limits.pluginTrial ? .end("it did not load within \(Limits.pluginTrial) ms") : nil
    case .ready:
      if !isPingAnswered {
        return now - pingedAt > Limits.pluginPing ? .end("it did not answer for \(Limits.pluginPing) ms") : nil
      }
      guard now - pingedAt >= Limits.pluginPing / 2 else { return nil }
      lastPing += 1
      (pingedAt, isPingAnswered) = (now, false)
      return .ping(lastPing)
    }
  }

  /// Milliseconds after which something may be due.
  func pause(now: UInt64) -> UInt64 {
    switch phase {
    case .waiting(let until): until > now ? until - now : 0
    case .starting: 100
    case .ready: Limits.pluginPing / 4
    }
  }
}
