/// The 128 bits of an IPv6 address, as two halves: `UInt128` wants an alignment that not every stack slot has been seen
/// to get.
package struct IPv6Number: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Group `index` of eight, from the left.
  func group(_ index: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: index < 4 ? high >> UInt64(48 - index * 16) : low >> UInt64(112 - index * 16))
  }

  /// Moves all groups to the left and puts one behind them.
  mutating func append(_ group: UInt16) {
    high = high << 16 | low >> 48
    low = low << 16 | UInt64(group)
  }

  /// The first `prefix` bits, the others zero.
  package func masked(to prefix: Int) -> IPv6Number {
    IPv6Number(
      high: high & Self.mask(min(prefix, 64)), low: low & Self.mask(max(prefix - 64, 0)))
  }

  private static func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : .max << UInt64(64 - min(bits, 64)) }

  package static func | (a: IPv6Number, b: IPv6Number) -> IPv6Number {
    IPv6Number(high: a.high | b.high, low: a.low | b.low)
  }
}
