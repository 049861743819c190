import GatewayIO

/// What one loop counts of each app: cells side by side, found by the app's label and a fixed offset.
package final class AppCells: Sendable {
  /// What is counted of an app.
  package enum Count: Int, CaseIterable, Sendable {
    /// By class of their status.
    case answered1xx, answered2xx, answered3xx, answered4xx, answered5xx
    /// Exchanges that ended before an answer had begun.
    case unanswered
    /// Bytes from and to clients, as heads and bodies.
    case received, sent
    /// Requests that were sent to a backend again.
    case retries
  }

  /// What is timed of an app.
  package enum Timing: Int, CaseIterable, Sendable {
    /// From a request's head to its answer's last byte.
    case duration
    /// From the beginning of an attempt at a server to its answer's first byte.
    case firstByte

    var offset: Int { Count.allCases.count + rawValue * (LatencyBuckets.count + 1) }
  }

  private static let stride = Count.allCases.count + Timing.allCases.count * (LatencyBuckets.count + 1)
  private let cells = CellBlock(count: AppLabel.limit * stride)

  init() {}

  func add(_ amount: UInt64, _ count: Count, _ label: AppLabel) {
    cells.add(amount, at: label.index * Self.stride + count.rawValue)
  }

  func add(microseconds: UInt64, _ timing: Timing, _ label: AppLabel) {
    let first = label.index * Self.stride + timing.offset
    cells.add(1, at: first + LatencyBuckets.index(microseconds: microseconds))
    cells.add(microseconds, at: first + LatencyBuckets.count)
  }

  package func value(_ count: Count, _ label: AppLabel) -> UInt64 {
    cells.value(at: label.index * Self.stride + count.rawValue)
  }

  /// How many durations of a class there were, in the order of `LatencyBuckets`, and the sum of all in microseconds.
  package func values(_ timing: Timing, _ label: AppLabel) -> (counts: [UInt64], sum: UInt64) {
    let first = label.index * Self.stride + timing.offset
    let counts = (0..<LatencyBuckets.count).map { cells.value(at: first + $0) }
    return (counts, cells.value(at: first + LatencyBuckets.count))
  }
}
