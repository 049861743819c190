import GatewayBase

/// Decides from which sequence number the next poll reads.
///
/// A row may become visible after one with a higher number: numbers are taken when a transaction inserts, and seen when it
/// commits. So a number is passed for good only once it has been known for longer than any transaction lasts.
struct RevocationCursor {
  /// Nanoseconds: five times what a store may take for a statement.
  static let overlap = UInt64(Limits.storeWait) * 5_000_000_000

  /// Rows up to this number need no second look.
  private(set) var position: Int64 = 0
  /// The highest number at a time, oldest first.
  private var seen: [(number: Int64, at: UInt64)] = []

  /// A poll has read everything behind `position`.
  ///
  /// - Parameters:
  ///   - highest: the highest number that it met, nil where it met none.
  ///   - now: nanoseconds of the monotonic clock.
  mutating func polled(highest: Int64?, now: UInt64) {
    while let first = seen.first, now - first.at >= Self.overlap {
      position = first.number
      seen.removeFirst()
    }
    if let highest, highest > (seen.last?.number ?? position) { seen.append((highest, now)) }
  }
}
