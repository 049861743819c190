import CLinux

/// What the test's own process holds on its heap.
package enum HeapUse {
  /// Bytes that are handed out now.
  package static var bytes: Int { clinux_heap_bytes() }
}
