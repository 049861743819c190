/// Holds one canonical host: made once for an event loop and used for each request.
package struct HostBuffer: ~Copyable {
  private var storage: FixedBuffer<UInt8>
  /// Bytes of the host.
  package private(set) var count = 0
  /// The port that was received with the host.
  package internal(set) var port: UInt16?

  /// An empty buffer. A name has 253 bytes at most, and one final dot before it is taken off.
  package init() { storage = FixedBuffer(repeating: 0, count: 254) }

  /// The host.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.prefix(count) }
  }

  mutating func removeAll() {
    count = 0
    port = nil
  }

  /// Appends a byte, or returns false where the buffer is full.
  @inline(__always)
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < storage.count else { return false }
    storage[count] = byte
    count &+= 1
    return true
  }

  mutating func removeFinalDot() {
    if count > 0, storage[count - 1] == UInt8(ascii: ".") { count -= 1 }
  }
}
