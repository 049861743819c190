/// Names a record of a `Slab`: an index that is reused, with a generation that is not, so that an event or a
/// message for a record that has gone finds nothing instead of its successor.
public struct Handle: Hashable, Sendable {
  /// Kind (8 bits), generation (32), index (24).
  public let raw: UInt64

  /// The handle that `raw` was taken from.
  @inlinable public init(raw: UInt64) { self.raw = raw }

  @inlinable init(kind: UInt8, generation: UInt32, index: Int) {
    raw = UInt64(kind) << 56 | UInt64(generation) << 24 | UInt64(truncatingIfNeeded: index)
  }

  /// Which slab it belongs to.
  @inlinable public var kind: UInt8 { UInt8(truncatingIfNeeded: raw >> 56) }
  @inlinable var generation: UInt32 { UInt32(truncatingIfNeeded: raw >> 24) }
  @inlinable var index: Int { Int(truncatingIfNeeded: raw & 0xFF_FFFF) }

  /// No record has it.
  public static var none: Handle { Handle(raw: 0) }
  /// Whether this is `none`.
  @inlinable public var isNone: Bool { raw == 0 }
}
