import Glibc

/// Compares bytes by the machine's words.
package enum ByteCompare {
  /// Whether both are the same bytes. Not for secrets that a peer could guess byte by byte.
  package static func equal(_ a: Span<UInt8>, _ b: [UInt8]) -> Bool {
    equal(a, b.span)
  }

  /// The same, of bytes that are somewhere else.
  package static func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return unsafe memcmp(first, second, b.count) == 0
      }
    }
  }
}
