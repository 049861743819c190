import GatewayBase
import GatewayIdentity
import Synchronization

/// What the metrics tell of queued work at providers.
final class ProviderJobFigures: Sendable {
  enum Result: Int, CaseIterable {
    case done, retried, givenUp

    fileprivate var label: String {
      switch self {
      case .done: "done"
      case .retried: "retried"
      case .givenUp: "given_up"
      }
    }
  }

  /// Milliseconds for which the sums of what waits count: they are a look through the whole queue.
  private static let freshness: UInt64 = 5000

  private struct State {
    var counts = [UInt64](repeating: 0, count: Result.allCases.count)
    var waiting: [ProviderJobs.Waiting] = []
    var readAt: UInt64?
  }

  private let state = Locked(State())

  func count(_ result: Result) { state.withLock { $0.counts[result.rawValue] &+= 1 } }

  func refresh(from jobs: ProviderJobs) async throws {
    let now = MonotonicClock.nanoseconds / 1_000_000
    let isFresh = state.withLock { state in state.readAt.map { now - $0 < Self.freshness } ?? false }
    guard !isFresh else { return }
    let waiting = try await jobs.waiting()
    state.withLock { state in
      state.waiting = waiting
      state.readAt = now
    }
  }

  func add(to text: inout MetricsText, now: UnixTime) {
    let (counts, waiting) = state.withLock { ($0.counts, $0.waiting) }
    text.add(
      "speed_provider_jobs_total", .counter, "Attempts of this node at queued work of providers, by what came of them.",
      Result.allCases.map { (MetricsText.labels(("result", $0.label)), counts[$0.rawValue]) })
    let labelled = waiting.map { (MetricsText.labels(("kind", $0.kind), ("provider", $0.provider)), $0) }
    text.add(
      "speed_provider_jobs_waiting", .gauge, "Queued work of providers in the store.",
      labelled.map { ($0.0, UInt64(max(0, $0.1.count))) })
    text.add(
      "speed_provider_jobs_oldest_seconds", .gauge, "The age of the oldest queued work of providers.",
      labelled.map { ($0.0, UInt64(max(0, now.seconds - $0.1.since.seconds))) })
  }
}
