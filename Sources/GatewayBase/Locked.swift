import Glibc

/// A value behind a mutex, for state that threads share off the request's path.
///
/// `pthread_mutex_t` rather than `Synchronization.Mutex`: Thread Sanitizer does not know the latter's futex.
///
/// `@unchecked Sendable`: `value` is touched only inside `withLock`, under the mutex, and `mutex` never moves
/// because it is allocated once and freed in `deinit`.
@safe package final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone with the value. It must not block, and must not lock the same value again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
