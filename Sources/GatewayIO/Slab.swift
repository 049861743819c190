/// Records of one kind that stay at one address from `insert` to `remove`, changed in place.
///
/// This keeps what an event loop touches on each request free of reference counts and exclusivity checks.
/// Not shared: only the loop's thread touches it.
@safe package struct Slab<Record: ~Copyable>: ~Copyable {
  @usableFromInline struct Slot {
    /// Odd while the slot holds a record; raised by each insert and remove.
    @usableFromInline var generation: UInt32
    @usableFromInline var nextFree: UInt32
  }

  @safe @usableFromInline struct Chunk {
    @usableFromInline let slots: UnsafeMutablePointer<Slot>
    @usableFromInline let records: UnsafeMutablePointer<Record>
  }

  @safe @usableFromInline struct State {
    @usableFromInline var chunks: [Chunk] = []
    @usableFromInline var firstFree: UInt32 = .max
    @usableFromInline var count = 0
  }

  @usableFromInline let state: UnsafeMutablePointer<State>
  @usableFromInline let kind: UInt8

  @inlinable static var chunkShift: Int { 8 }
  @inlinable static var chunkSize: Int { 1 << chunkShift }
  private static var endOfList: UInt32 { .max }

  /// - Parameter kind: part of each handle, to tell the slabs of a loop apart; not 0.
  package init(kind: UInt8) {
    precondition(kind != 0)
    self.kind = kind
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    for chunk in unsafe state.pointee.chunks {
      for index in 0..<Self.chunkSize where unsafe chunk.slots[index].generation & 1 == 1 {
        unsafe (chunk.records + index).deinitialize(count: 1)
      }
      unsafe chunk.slots.deallocate()
      unsafe chunk.records.deallocate()
    }
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Records held now.
  @inlinable package var count: Int { unsafe state.pointee.count }

  /// Whether the handle's record is still here.
  @inlinable package func contains(_ handle: Handle) -> Bool {
    let chunk = handle.index >> Self.chunkShift
    guard unsafe handle.kind == kind && chunk < state.pointee.chunks.count else { return false }
    return unsafe state.pointee.chunks[chunk].slots[handle.index & (Self.chunkSize - 1)].generation
      == handle.generation
  }

  @inlinable func address(of handle: Handle) -> UnsafeMutablePointer<Record> {
    precondition(contains(handle), "a handle outlived its record")
    return unsafe state.pointee.chunks[handle.index >> Self.chunkShift].records
      + (handle.index & (Self.chunkSize - 1))
  }

  /// The record, in place. The handle must be live.
  @inlinable package subscript(handle: Handle) -> Record {
    unsafeAddress { unsafe UnsafePointer(address(of: handle)) }
    nonmutating unsafeMutableAddress { unsafe address(of: handle) }
  }

  package func insert(_ record: consuming Record) -> Handle {
    if unsafe state.pointee.firstFree == Self.endOfList { grow() }
    let index = unsafe Int(state.pointee.firstFree)
    let chunk = unsafe state.pointee.chunks[index >> Self.chunkShift]
    let offset = index & (Self.chunkSize - 1)
    unsafe (chunk.records + offset).initialize(to: record)
    unsafe state.pointee.firstFree = chunk.slots[offset].nextFree
    unsafe state.pointee.count += 1
    unsafe chunk.slots[offset].generation &+= 1
    return unsafe Handle(kind: kind, generation: chunk.slots[offset].generation, index: index)
  }

  /// Ends the record; its handle finds nothing from now on.
  package func remove(_ handle: Handle) {
    guard contains(handle) else { return }
    let chunk = unsafe state.pointee.chunks[handle.index >> Self.chunkShift]
    let offset = handle.index & (Self.chunkSize - 1)
    unsafe chunk.slots[offset].generation &+= 1
    unsafe (chunk.records + offset).deinitialize(count: 1)
    unsafe chunk.slots[offset].nextFree = state.pointee.firstFree
    unsafe state.pointee.firstFree = UInt32(handle.index)
    unsafe state.pointee.count -= 1
  }

  /// Calls `body` with each handle that is live when its turn comes. `body` may insert and remove.
  package func forEachHandle(_ body: (Handle) -> Void) {
    for index in unsafe 0..<(state.pointee.chunks.count << Self.chunkShift) {
      let slot = unsafe state.pointee.chunks[index >> Self.chunkShift].slots[index & (Self.chunkSize - 1)]
      if slot.generation & 1 == 1 { body(Handle(kind: kind, generation: slot.generation, index: index)) }
    }
  }

  private func grow() {
    let first = unsafe state.pointee.chunks.count << Self.chunkShift
    precondition(first + Self.chunkSize <= 1 << 24, "a slab holds at most 16 million records")
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Self.chunkSize)
    for offset in 0..<Self.chunkSize {
      let next = offset + 1 < Self.chunkSize ? UInt32(first + offset + 1) : Self.endOfList
      unsafe (slots + offset).initialize(to: Slot(generation: 0, nextFree: next))
    }
    unsafe state.pointee.chunks.append(Chunk(slots: slots, records: .allocate(capacity: Self.chunkSize)))
    unsafe state.pointee.firstFree = UInt32(first)
  }
}
