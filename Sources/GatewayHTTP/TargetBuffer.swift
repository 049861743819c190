import GatewayBase

/// Holds one canonical path: made once for an event loop and used for each request.
package struct TargetBuffer: ~Copyable {
  private var bytes: FixedBuffer<UInt8>
  /// Bytes of the path.
  package private(set) var count = 0

  /// An empty buffer of `Limits.target` bytes: a canonical path is never longer than the target.
  package init() { bytes = FixedBuffer(repeating: 0, count: Limits.target) }

  /// The path.
  package var path: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.prefix(count) }
  }

  subscript(index: Int) -> UInt8 {
    @inline(__always)
    get { bytes[index] }
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    bytes[count] = byte
    count &+= 1
  }

  mutating func truncate(to count: Int) {
    precondition(count <= self.count)
    self.count = count
  }
}
