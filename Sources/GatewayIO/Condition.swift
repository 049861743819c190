import Glibc

/// A lock that threads can wait on until something is so (pthread_cond_wait(3)), by the monotonic clock.
///
/// `@unchecked Sendable`: mutex and condition never move, and are made to be used by threads at once.
@safe package final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
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

  /// Runs `body` alone: what it touches is touched under this lock only.
  package func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Within `locked`: lets others in until somebody wakes this thread, or for no reason.
  package func wait() { unsafe pthread_cond_wait(condition, mutex) }

  /// The same, at the longest until a moment of the monotonic clock.
  ///
  /// - Parameter nanoseconds: of that clock.
  /// - Returns: false once the moment is over.
  package func wait(until nanoseconds: UInt64) -> Bool {
    var end = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    return unsafe pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT
  }

  /// Wakes one that waits.
  package func wakeOne() { unsafe pthread_cond_signal(condition) }

  /// Wakes all that wait.
  package func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
