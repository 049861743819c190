/// Classes of durations whose bounds double, from 256 µs to half a minute: found without a comparison, and the same for
/// ever, so that histograms of releases and nodes can be added up.
package enum LatencyBuckets {
  /// Upper bounds in microseconds, each within its class. One more class has what is longer.
  package static let bounds: [UInt64] = (0..<boundCount).map { 1 << UInt64($0 + shift) }

  /// Classes, the unbounded one included.
  package static var count: Int { boundCount + 1 }

  private static var boundCount: Int { 18 }
  private static var shift: Int { 8 }

  /// The class of a duration.
  static func index(microseconds: UInt64) -> Int {
    // ⌈log2⌉: a bound itself belongs to the class below it.
    let logarithm = UInt64.bitWidth - (max(microseconds, 1) - 1).leadingZeroBitCount
    return min(max(logarithm - shift, 0), boundCount)
  }
}
