/// Short texts of one loop, each in a slot of one size that is used again: what must be kept of a request for a while
/// without an allocation.
///
/// Not shared: only the loop's thread touches it.
@safe public struct ByteSlots: ~Copyable {
  private struct State {
    /// The chunks' addresses, as numbers.
    var chunks: [UInt] = []
    var counts: [Int] = []
    var free: [Int] = []
  }

  private static var chunk: Int { 64 }
  private let size: Int
  private let state: UnsafeMutablePointer<State>

  /// - Parameter size: bytes of each slot.
  package init(size: Int) {
    precondition(size > 0)
    self.size = size
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    let slots = unsafe state.pointee.counts.count
    for chunk in 0..<(slots / Self.chunk) { unsafe address(chunk * Self.chunk).deallocate() }
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Slots that are out: taken and not given back.
  package var lent: Int { unsafe state.pointee.counts.count - state.pointee.free.count }

  /// An empty slot.
  package func take() -> Int {
    if let slot = unsafe state.pointee.free.popLast() {
      unsafe state.pointee.counts[slot] = 0
      return slot
    }
    let first = unsafe state.pointee.counts.count
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: size * Self.chunk)
    unsafe state.pointee.chunks.append(UInt(bitPattern: memory))
    unsafe state.pointee.counts += Array(repeating: 0, count: Self.chunk)
    unsafe state.pointee.free += (first + 1..<first + Self.chunk).reversed()
    return first
  }

  /// Takes back a slot that `take` gave.
  package func give(_ slot: Int) { unsafe state.pointee.free.append(slot) }

  /// Forgets what the slot holds.
  package func clear(_ slot: Int) { unsafe state.pointee.counts[slot] = 0 }

  /// Appends bytes; false, and nothing is appended, where there is no room for all of them.
  @discardableResult
  package func append(_ bytes: Span<UInt8>, to slot: Int) -> Bool {
    let count = unsafe state.pointee.counts[slot]
    guard bytes.count <= size - count else { return false }
    let target = unsafe address(slot) + count
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe target.update(from: address, count: source.count)
    }
    unsafe state.pointee.counts[slot] = count + bytes.count
    return true
  }

  /// Copies what a slot holds behind the block's bytes. The block must have room.
  package func append(_ slot: Int, to block: inout ByteBlock) { block.append(bytes(of: slot)) }

  /// What the slot holds.
  @_lifetime(borrow self)
  package func bytes(of slot: Int) -> Span<UInt8> {
    let span = unsafe Span(_unsafeStart: address(slot), count: state.pointee.counts[slot])
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  private func address(_ slot: Int) -> UnsafeMutablePointer<UInt8> {
    // Never null: allocated by `take`.
    let chunk = unsafe UnsafeMutablePointer<UInt8>(bitPattern: state.pointee.chunks[slot / Self.chunk])
    return unsafe chunk.unsafelyUnwrapped + slot % Self.chunk * size
  }
}
