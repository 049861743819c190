import GatewayBase

/// How a thread with work at intervals is woken early and ended, and how others wait for its end.
///
/// `@unchecked Sendable`: the flags are touched under `condition` alone.
final class Signalled: @unchecked Sendable {
  private let condition = Condition()
  private var isWoken = false
  private var isStopped = false
  private var isDone = false

  /// Waits until the time is over or it is woken; false once it was stopped.
  func wait(milliseconds: Int) -> Bool {
    wait(milliseconds) { isWoken || isStopped }
    return condition.locked {
      isWoken = false
      return !isStopped
    }
  }

  func wake() { change { isWoken = true } }

  func stop() { change { isStopped = true } }

  /// Called by the thread as the last thing.
  func markDone() { change { isDone = true } }

  func waitUntilDone(milliseconds: Int) { wait(milliseconds) { isDone } }

  private func wait(_ milliseconds: Int, for isSo: () -> Bool) {
    let end = MonotonicClock.nanoseconds + UInt64(milliseconds) * 1_000_000
    condition.locked { while !isSo(), condition.wait(until: end) {} }
  }

  private func change(_ body: () -> Void) {
    condition.locked(body)
    condition.wakeAll()
  }
}
