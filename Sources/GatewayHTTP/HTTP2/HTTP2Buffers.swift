import CNghttp2
import GatewayBase

/// Memory of one loop for its HTTP/2 connections: that of nghttp2, and scratch for heads, which a connection holds only
/// between the first and the last frame of one.
@safe package final class HTTP2Buffers {
  private var free: [UnsafeMutablePointer<UInt8>] = unsafe []
  let memory = HTTP2Memory()
  /// Fields on their way into a frame.
  let fields = unsafe Pinned<[nghttp2_nv]>([])

  package init() {}

  deinit {
    while let memory = unsafe free.popLast() { unsafe memory.deallocate() }
  }

  func take() -> HeadBuffer {
    unsafe HeadBuffer(unsafe free.popLast() ?? .allocate(capacity: Limits.http2HeadBuffer))
  }

  func give(_ buffer: consuming HeadBuffer) {
    guard unsafe free.count < Limits.http2KeptHeads else { return }
    unsafe free.append(buffer.intoMemory())
  }
}

/// A fixed run of memory that a head is written into.
@safe struct HeadBuffer: ~Copyable {
  /// The address as a number, so that an optional buffer keeps a tag of its own: see `ByteBlock`.
  private let address: UInt
  private(set) var count = 0

  init(_ memory: UnsafeMutablePointer<UInt8>) { address = UInt(bitPattern: memory) }

  deinit { unsafe base.deallocate() }

  /// Never null: allocated by the one who made it.
  private var base: UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// Ends the life of the value without freeing its memory.
  consuming func intoMemory() -> UnsafeMutablePointer<UInt8> {
    let memory = unsafe base
    discard self
    return unsafe memory
  }

  /// Bytes that can still be appended.
  var room: Int { Limits.http2HeadBuffer - count }

  /// Appends all of `bytes`, or nothing where there is no room.
  mutating func append(_ bytes: Span<UInt8>) -> Bool {
    let added = bytes.count
    guard added <= room else { return false }
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + count).update(from: address, count: added)
    }
    count += added
    return true
  }

  /// Appends a field as a line, or nothing where there is no room.
  mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
    guard name.count + value.count + 4 <= room else { return false }
    unsafe name.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + count).update(from: address, count: source.count)
    }
    count += name.count
    unsafe base[count] = UInt8(ascii: ":")
    unsafe base[count + 1] = UInt8(ascii: " ")
    count += 2
    unsafe value.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (base + count).update(from: address, count: source.count)
    }
    count += value.count
    unsafe base[count] = UInt8(ascii: "\r")
    unsafe base[count + 1] = UInt8(ascii: "\n")
    count += 2
    return true
  }

  mutating func append(_ other: borrowing HeadBuffer) -> Bool {
    append(other.bytes(0..<other.count))
  }

  mutating func append(_ text: StaticString) -> Bool {
    let added = text.utf8CodeUnitCount
    guard added <= room else { return false }
    unsafe (base + count).update(from: text.utf8Start, count: added)
    count += added
    return true
  }

  /// Appends a copy of a part of what is there.
  mutating func appendCopy(_ range: Range<Int>) -> Bool {
    let range = range.clamped(to: 0..<count)
    guard range.count <= room else { return false }
    unsafe (base + count).update(from: base + range.lowerBound, count: range.count)
    count += range.count
    return true
  }

  /// The bytes in a range; those of it that there are not are left out.
  @_lifetime(borrow self)
  borrowing func bytes(_ range: Range<Int>) -> Span<UInt8> {
    let range = range.clamped(to: 0..<count)
    let span = unsafe Span(_unsafeStart: base + range.lowerBound, count: range.count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}
