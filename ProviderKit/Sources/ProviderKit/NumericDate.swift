/// A point in time of a claim (RFC 7519 section 2).
public struct NumericDate: Sendable, Hashable, Codable {
  /// Unix time in milliseconds.
  public let milliseconds: Int64

  /// Nil where there is no number, or one beyond every date: so that sums with it can't overflow.
  public init?(seconds: Double?) {
    guard let seconds, abs(seconds) < 1e12 else { return nil }
    milliseconds = Int64((seconds * 1000).rounded(.down))
  }
}
