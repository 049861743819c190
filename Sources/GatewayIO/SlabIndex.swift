/// Which places of a slab hold a record, and of which generation. Apart from `Slab`, as none of it depends on what
/// the records are.
@safe public struct SlabIndex: ~Copyable {
  /// What is known of one place.
  public struct Slot {
    /// Odd while the slot holds a record; raised by each insert and remove.
    public var generation: UInt32
    /// The next place of the free list; meaningless while this one is taken.
    public var nextFree: UInt32
  }

  /// Places of a chunk, as a power of two.
  @inlinable public static var chunkShift: Int { 8 }
  /// Places of a chunk.
  @inlinable public static var chunkSize: Int { 1 << chunkShift }
  /// Handles have 24 bits for an index.
  @inlinable public static var capacity: Int { 1 << 24 }
  @inlinable static var endOfList: UInt32 { .max }

  /// The chunks' addresses, so that a slot never moves; room for all of them costs address space alone.
  public let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>>
  /// The first byte of each handle.
  public let kind: UInt8
  /// Places that there are, taken or free.
  public internal(set) var slotCount = 0
  @usableFromInline var firstFree: UInt32 = .max
  @usableFromInline var taken = 0
  /// Places that are taken.
  @inlinable public var count: Int { taken }

  init(kind: UInt8) {
    precondition(kind != 0)
    self.kind = kind
    unsafe chunks = .allocate(capacity: Self.capacity >> Self.chunkShift)
  }

  deinit {
    for chunk in 0..<(slotCount >> Self.chunkShift) { unsafe chunks[chunk].deallocate() }
    unsafe chunks.deallocate()
  }

  /// The address of a place.
  @inlinable @inline(__always) public func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
    unsafe chunks[index >> Self.chunkShift] + (index & (Self.chunkSize - 1))
  }

  /// Whether the place of this handle is taken, by the record that the handle was made for.
  @inlinable @inline(__always) public func contains(_ handle: Handle) -> Bool {
    guard handle.kind == kind && handle.index < slotCount else { return false }
    return unsafe slot(handle.index).pointee.generation == handle.generation
  }

  /// The handle of a slot that holds a record.
  func handle(at index: Int) -> Handle? {
    let generation = unsafe slot(index).pointee.generation
    return generation & 1 == 1 ? Handle(kind: kind, generation: generation, index: index) : nil
  }

  /// Whether `insert` needs another chunk first.
  @inlinable var isFull: Bool { firstFree == Self.endOfList }

  mutating func addChunk() {
    precondition(slotCount + Self.chunkSize <= Self.capacity, "a slab holds at most 16 million records")
    let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: Self.chunkSize)
    for offset in 0..<Self.chunkSize {
      let next = offset + 1 < Self.chunkSize ? UInt32(slotCount + offset + 1) : Self.endOfList
      unsafe (chunk + offset).initialize(to: Slot(generation: 0, nextFree: next))
    }
    unsafe chunks[slotCount >> Self.chunkShift] = chunk
    firstFree = UInt32(slotCount)
    slotCount += Self.chunkSize
  }

  /// Takes a free slot; there must be one.
  @inlinable mutating func insert() -> Handle {
    precondition(!isFull)
    let index = Int(firstFree)
    let slot = unsafe slot(index)
    firstFree = unsafe slot.pointee.nextFree
    taken += 1
    unsafe slot.pointee.generation &+= 1
    return unsafe Handle(kind: kind, generation: slot.pointee.generation, index: index)
  }

  /// Frees the slot of a live handle.
  @inlinable mutating func remove(_ handle: Handle) {
    let slot = unsafe slot(handle.index)
    unsafe slot.pointee.generation &+= 1
    unsafe slot.pointee.nextFree = firstFree
    firstFree = UInt32(handle.index)
    taken -= 1
  }
}
