/// Records of one kind that stay at one address from `insert` to `remove`, changed in place.
///
/// This keeps what an event loop touches on each request free of reference counts and exclusivity checks.
/// Not shared: only the loop's thread touches it.
@safe public struct Slab<Record: ~Copyable>: ~Copyable {
  @usableFromInline let index: UnsafeMutablePointer<SlabIndex>
  /// The chunks' addresses (see `SlabIndex`).
  @usableFromInline let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Record>>

  /// - Parameter kind: part of each handle, to tell the slabs of a loop apart; not 0.
  public init(kind: UInt8) {
    unsafe index = .allocate(capacity: 1)
    unsafe index.initialize(to: SlabIndex(kind: kind))
    unsafe chunks = .allocate(capacity: SlabIndex.capacity >> SlabIndex.chunkShift)
  }

  deinit {
    forEachHandle { remove($0) }
    for chunk in unsafe 0..<(index.pointee.slotCount >> SlabIndex.chunkShift) { unsafe chunks[chunk].deallocate() }
    unsafe chunks.deallocate()
    unsafe index.deinitialize(count: 1)
    unsafe index.deallocate()
  }

  /// Records held now.
  @inlinable public var count: Int { unsafe index.pointee.count }

  /// Whether the handle's record is still here.
  @inlinable @inline(__always) public func contains(_ handle: Handle) -> Bool {
    unsafe index.pointee.contains(handle)
  }

  @inlinable @inline(__always) func address(_ index: Int) -> UnsafeMutablePointer<Record> {
    unsafe chunks[index >> SlabIndex.chunkShift] + (index & (SlabIndex.chunkSize - 1))
  }

  @inlinable @inline(__always) func address(of handle: Handle) -> UnsafeMutablePointer<Record> {
    precondition(contains(handle), "a handle outlived its record")
    return unsafe address(handle.index)
  }

  /// The record, in place. The handle must be live.
  @inlinable public subscript(handle: Handle) -> Record {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(address(of: handle)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe address(of: handle) }
  }

  /// Gives the record a place until `remove`.
  @inlinable public func insert(_ record: consuming Record) -> Handle {
    if unsafe index.pointee.isFull { addChunk() }
    let handle = unsafe index.pointee.insert()
    unsafe address(handle.index).initialize(to: record)
    return handle
  }

  @usableFromInline func addChunk() {
    let chunk = unsafe index.pointee.slotCount >> SlabIndex.chunkShift
    unsafe chunks[chunk] = .allocate(capacity: SlabIndex.chunkSize)
    unsafe index.pointee.addChunk()
  }

  /// Ends the record; its handle finds nothing from now on.
  @inlinable public func remove(_ handle: Handle) {
    guard contains(handle) else { return }
    unsafe address(handle.index).deinitialize(count: 1)
    unsafe index.pointee.remove(handle)
  }

  /// Calls `body` with each handle that is live when its turn comes. `body` may insert and remove.
  public func forEachHandle(_ body: (Handle) -> Void) {
    var position = 0
    while unsafe position < index.pointee.slotCount {
      if let handle = unsafe index.pointee.handle(at: position) { body(handle) }
      position += 1
    }
  }
}
