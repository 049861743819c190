import Glibc
import Synchronization

/// Numbers that one thread raises and any may read: what a loop counts. No bus lock is needed, and pages that nobody
/// counts in cost no memory.
///
/// `@unchecked Sendable`: the cells are atomics, and their address does not change.
@safe public final class CellBlock: @unchecked Sendable {
  /// How many there are.
  public let count: Int
  @usableFromInline let cells: UnsafeMutablePointer<Atomic<UInt64>>

  /// All at zero.
  public init(count: Int) {
    precondition(count > 0)
    self.count = count
    let size = count * MemoryLayout<Atomic<UInt64>>.stride
    let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { fatalError("out of memory for counters") }
    // Zeroed memory is what an atomic zero looks like.
    unsafe cells = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
  }

  deinit { unsafe munmap(cells, count * MemoryLayout<Atomic<UInt64>>.stride) }

  /// Raises a number. Called by one thread alone.
  @inlinable public func add(_ amount: UInt64, at index: Int) {
    precondition(index >= 0 && index < count)
    unsafe cells[index].store(cells[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }

  /// The number as it is now.
  @inlinable public func value(at index: Int) -> UInt64 {
    precondition(index >= 0 && index < count)
    return unsafe cells[index].load(ordering: .relaxed)
  }
}
