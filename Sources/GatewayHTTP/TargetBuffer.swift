import GatewayBase

/// Holds one canonical path. It holds its memory inline: made once for an event loop and used for each request.
package struct TargetBuffer: ~Copyable {
  /// `Limits.target` bytes, as a type wants a literal: a canonical path is never longer than the target.
  private var bytes = InlineArray<8192, UInt8>(repeating: 0)
  package private(set) var count = 0

  package init() { precondition(bytes.count == Limits.target) }

  package var path: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(0..<count) }
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
