import GatewayBase

/// Rounds of work on a store that a task does for as long as it runs: at a regular pace, and with growing pauses while
/// the store is gone. Its going and its coming back are told once each.
package struct StoreRounds: Sendable {
  /// What a round came to.
  package enum Outcome: Sendable {
    case again
    /// There is to be no further round.
    case over
  }

  private static let longestPause = Duration.seconds(4)

  private let interval: Duration
  private let failing: StaticString
  private let recovered: StaticString
  private let logger: Logger

  /// - Parameters:
  ///   - interval: between two rounds, while all is well; four seconds at most.
  ///   - failing: the log's message when a round fails, the first of a row alone.
  ///   - recovered: the log's message when one succeeds again.
  package init(every interval: Duration, failing: StaticString, recovered: StaticString, logger: Logger) {
    self.interval = interval
    self.failing = failing
    self.recovered = recovered
    self.logger = logger
  }

  /// Works until a round says that it was the last, or the task is cancelled.
  package func run(_ round: () async throws -> Outcome) async {
    var pause = interval
    while !Task.isCancelled {
      do {
        if case .over = try await round() { return }
        if pause > interval { logger.info(recovered) }
        pause = interval
      } catch {
        if pause == interval { logger.warning(failing, .text("reason", "\(error)")) }
        pause = min(pause * 2, Self.longestPause)
      }
      try? await Task.sleep(for: pause)
    }
  }
}
