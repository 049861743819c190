import GatewayBase
import Glibc

/// How a thread with work at intervals is woken early and ended, and how others wait for its end.
///
/// `@unchecked Sendable`: the flags are touched under `mutex`; mutex and condition never move.
@safe final class Signalled: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isWoken = false
  private var isStopped = false
  private var isDone = false

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Waits until the time is over or it is woken; false once it was stopped.
  func wait(milliseconds: Int) -> Bool {
    wait(milliseconds) { isWoken || isStopped }
    return locked {
      isWoken = false
      return !isStopped
    }
  }

  func wake() { change { isWoken = true } }

  func stop() { change { isStopped = true } }

  /// Called by the thread as the last thing.
  func markDone() { change { isDone = true } }

  func waitUntilDone(milliseconds: Int) { wait(milliseconds) { isDone } }

  private func wait(_ milliseconds: Int, for condition: () -> Bool) {
    let nanoseconds = MonotonicClock.nanoseconds + UInt64(milliseconds) * 1_000_000
    var end = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    locked {
      while !condition() {
        if unsafe pthread_cond_timedwait(self.condition, mutex, &end) == ETIMEDOUT { return }
      }
    }
  }

  private func change(_ body: () -> Void) {
    locked(body)
    unsafe pthread_cond_broadcast(condition)
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }
}
