import GatewayBase

/// Decides whether a host that has not answered lately is called again, so that requests which would wait for it in vain
/// do not. It knows no clock: monotonic milliseconds come in.
package struct CallGate: Sendable {
  private struct Silence: Sendable {
    var failures = 0
    /// Until when calls fail at once.
    var until: UInt64 = 0
  }

  /// Hosts whose last call had no answer. Their number is bounded by the configuration's URLs.
  private var silent: [String: Silence] = [:]

  package init() {}

  /// Whether a call may be made. After a pause one call at a time finds out for the others.
  package mutating func mayCall(_ origin: String, now: UInt64) -> Bool {
    guard let silence = silent[origin], silence.failures >= Limits.hostFailures else { return true }
    guard now >= silence.until else { return false }
    silent[origin]?.until = now + Limits.hostPause
    return true
  }

  /// A call ended, with an answer of whatever status or with none.
  package mutating func callEnded(_ origin: String, answered: Bool, now: UInt64) {
    guard !answered else {
      silent[origin] = nil
      return
    }
    silent[origin, default: Silence()].failures += 1
    if silent[origin]?.failures == Limits.hostFailures { silent[origin]?.until = now + Limits.hostPause }
  }
}
