/// Blocks of one event loop, last in first out, so that the warmest memory is used next.
///
/// Not shared: only the loop's thread touches it.
@safe public struct BlockPool: ~Copyable {
  @usableFromInline struct State {
    @usableFromInline var count = 0
    @usableFromInline var lent = 0
  }

  @usableFromInline let state: UnsafeMutablePointer<State>
  /// The addresses of the free blocks, apart from their memory, which is not touched while it is free.
  @usableFromInline let addresses: UnsafeMutablePointer<UInt>
  @usableFromInline let kept: Int

  /// - Parameter kept: free blocks that are kept; more go back to the system.
  public init(kept: Int) {
    precondition(kept >= 0)
    self.kept = kept
    unsafe addresses = .allocate(capacity: kept)
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    while let block = takeFree() { drop(block) }
    unsafe state.deallocate()
    unsafe addresses.deallocate()
  }

  /// Blocks that are out: taken and not given back.
  package var lent: Int { unsafe state.pointee.lent }

  /// Blocks that are kept for the next to take.
  var free: Int { unsafe state.pointee.count }

  /// A block without bytes: a used one, or a new one where none is left.
  @inlinable public func take() -> ByteBlock {
    unsafe state.pointee.lent += 1
    return takeFree() ?? ByteBlock()
  }

  /// Takes a block back, whatever it holds.
  @inlinable public func give(_ block: consuming ByteBlock) {
    unsafe state.pointee.lent -= 1
    let count = unsafe state.pointee.count
    guard count < kept else { return }
    unsafe addresses[count] = block.intoAddress()
    unsafe state.pointee.count = count + 1
  }

  @inlinable func takeFree() -> ByteBlock? {
    let count = unsafe state.pointee.count
    guard count > 0 else { return nil }
    unsafe state.pointee.count = count - 1
    return unsafe ByteBlock(recycling: addresses[count - 1])
  }

  private func drop(_ block: consuming ByteBlock) {}
}
