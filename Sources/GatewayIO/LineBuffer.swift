import GatewayBase
import Glibc
import Synchronization

/// Lines of one thread on their way to a `LineLog`: it fills one half while the log's writer empties the other.
///
/// `@unchecked Sendable`: `filling` and `count` are touched under `mutex`, which never moves; `emptied` by the writer
/// alone.
@safe final class LineBuffer: @unchecked Sendable {
  private let capacity: Int
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var filling: UnsafeMutablePointer<UInt8>
  private var emptied: UnsafeMutablePointer<UInt8>
  private var count = 0
  private let lost = Atomic<UInt64>(0)

  /// - Parameter capacity: bytes of each half.
  init(capacity: Int) {
    self.capacity = capacity
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe filling = .allocate(capacity: capacity)
    unsafe emptied = .allocate(capacity: capacity)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
    unsafe filling.deallocate()
    unsafe emptied.deallocate()
  }

  /// Lines that found no room.
  var dropped: UInt64 { lost.load(ordering: .relaxed) }

  /// Takes in a line; it is dropped where there is no room.
  ///
  /// - Returns: whether the half has just become half full, so that the writer should not wait any longer.
  func append(_ line: Span<UInt8>) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    guard line.count <= capacity - count else {
      lost.store(lost.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      return false
    }
    let target = unsafe filling + count
    unsafe line.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe target.update(from: address, count: source.count)
    }
    let before = count
    count += line.count
    return before < capacity / 2 && count >= capacity / 2
  }

  /// Gives the writer what has come, and lets the thread fill the other half meanwhile.
  func empty(_ write: (Span<UInt8>) -> Void) {
    unsafe pthread_mutex_lock(mutex)
    unsafe swap(&filling, &emptied)
    let filled = count
    count = 0
    unsafe pthread_mutex_unlock(mutex)
    if filled > 0 { write(unsafe Span(_unsafeStart: emptied, count: filled)) }
  }
}
