import GatewayBase

/// Memory for encrypted bytes on their way, of one event loop: last in first out, so that the warmest is used next.
///
/// A session has a buffer only while bytes are in it. Not Sendable: only the loop's thread touches it.
@safe package final class TLSBuffers {
  /// Bytes of a buffer: what a full block becomes when it is encrypted, its head apart, fits in and leaves in one call.
  static let capacity = Limits.block + 4096

  private let free = unsafe Pinned<[UnsafeMutablePointer<UInt8>]>([])
  /// Buffers that are out.
  private(set) var lent = 0

  package init() {}

  deinit { while let buffer = unsafe free.value.popLast() { unsafe buffer.deallocate() } }

  func take() -> UnsafeMutablePointer<UInt8> {
    lent += 1
    return unsafe free.value.popLast() ?? .allocate(capacity: Self.capacity)
  }

  func give(_ buffer: UnsafeMutablePointer<UInt8>) {
    lent -= 1
    if unsafe free.value.count < Limits.keptTLSBuffers {
      unsafe free.value.append(buffer)
    } else {
      unsafe buffer.deallocate()
    }
  }
}

/// Encrypted bytes of one direction of a session, in a borrowed buffer while there are any.
@safe struct Ciphertext {
  private var buffer: UnsafeMutablePointer<UInt8>?
  private var start = 0
  private var end = 0

  var isEmpty: Bool { start == end }
  /// Bytes that can be put behind those that are there.
  var room: Int { TLSBuffers.capacity - end }

  /// The bytes that wait.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get {
      let memory = unsafe UnsafeBufferPointer(
        start: buffer.map { unsafe UnsafePointer($0) + start }, count: end - start)
      return unsafe _overrideLifetime(Span(_unsafeElements: memory), borrowing: self)
    }
  }

  /// Room behind the bytes; a buffer is borrowed for it where there is none.
  mutating func tail(_ buffers: TLSBuffers) -> UnsafeMutableBufferPointer<UInt8> {
    let memory = unsafe buffer ?? buffers.take()
    unsafe buffer = memory
    return unsafe UnsafeMutableBufferPointer(start: memory + end, count: room)
  }

  mutating func filled(_ count: Int) { end += count }

  /// Takes bytes off the front. An empty buffer goes back.
  mutating func consume(_ count: Int, _ buffers: TLSBuffers) {
    start += count
    if start == end { clear(buffers) }
  }

  /// Forgets all bytes and gives the buffer back.
  mutating func clear(_ buffers: TLSBuffers) {
    if let memory = unsafe buffer { unsafe buffers.give(memory) }
    unsafe buffer = nil
    start = 0
    end = 0
  }
}
