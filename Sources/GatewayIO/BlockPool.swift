/// Blocks of one event loop, last in first out, so that the warmest memory is used next.
///
/// Not shared: only the loop's thread touches it.
@safe public struct BlockPool: ~Copyable {
  @safe private struct State {
    var first: UnsafeMutablePointer<UInt8>?
    var count = 0
    var lent = 0
  }

  private let state: UnsafeMutablePointer<State>
  private let kept: Int

  /// - Parameter kept: free blocks that are kept; more go back to the system.
  public init(kept: Int) {
    self.kept = kept
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    while let block = takeFree() { drop(block) }
    unsafe state.deallocate()
  }

  /// Blocks that are out: taken and not given back.
  package var lent: Int { unsafe state.pointee.lent }

  /// Blocks that are kept for the next to take.
  var free: Int { unsafe state.pointee.count }

  /// A block without bytes: a used one, or a new one where none is left.
  public func take() -> ByteBlock {
    unsafe state.pointee.lent += 1
    return takeFree() ?? ByteBlock()
  }

  /// Takes a block back, whatever it holds.
  public func give(_ block: consuming ByteBlock) {
    unsafe state.pointee.lent -= 1
    guard unsafe state.pointee.count < kept else { return }
    let memory = unsafe block.intoMemory()
    // A free block's first word links to the next free one.
    unsafe UnsafeMutableRawPointer(memory).storeBytes(
      of: state.pointee.first, as: UnsafeMutablePointer<UInt8>?.self)
    unsafe state.pointee.first = memory
    unsafe state.pointee.count += 1
  }

  private func takeFree() -> ByteBlock? {
    guard let memory = unsafe state.pointee.first else { return nil }
    unsafe state.pointee.first = UnsafeRawPointer(memory).load(as: UnsafeMutablePointer<UInt8>?.self)
    unsafe state.pointee.count -= 1
    return unsafe ByteBlock(recycling: memory)
  }

  private func drop(_ block: consuming ByteBlock) {}
}
