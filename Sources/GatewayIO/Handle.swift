/// Names a record of a `Slab`: an index that is reused, with a generation that is not, so that an event or a
/// message for a record that has gone finds nothing instead of its successor.
package struct Handle: Hashable, Sendable {
  /// Kind (8 bits), generation (32), index (24).
  package let raw: UInt64

  @inlinable package init(raw: UInt64) { self.raw = raw }

  @inlinable init(kind: UInt8, generation: UInt32, index: Int) {
    raw = UInt64(kind) << 56 | UInt64(generation) << 24 | UInt64(truncatingIfNeeded: index)
  }

  /// Which slab it belongs to.
  @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: raw >> 56) }
  @inlinable var generation: UInt32 { UInt32(truncatingIfNeeded: raw >> 24) }
  @inlinable var index: Int { Int(truncatingIfNeeded: raw & 0xFF_FFFF) }

  /// No record has it.
  package static var none: Handle { Handle(raw: 0) }
  @inlinable package var isNone: Bool { raw == 0 }
}
