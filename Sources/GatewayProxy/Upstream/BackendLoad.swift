import Synchronization

/// How many requests a backend is at work on, counted by all loops together: what its circuit opens by.
package final class BackendLoad: Sendable {
  private let count = Atomic<Int>(0)
  private let turnedAway = Atomic<UInt64>(0)

  package init() {}

  /// Requests under way now.
  package var requestsUnderWay: Int { count.load(ordering: .relaxed) }

  /// Requests that were refused at the limit.
  package var refusals: UInt64 { turnedAway.load(ordering: .relaxed) }

  /// Counts a request in; false where `limit` are under way already.
  func enter(limit: Int) -> Bool {
    guard count.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
      leave()
      turnedAway.wrappingAdd(1, ordering: .relaxed)
      return false
    }
    return true
  }

  /// Counts a request out that was counted in.
  func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}
