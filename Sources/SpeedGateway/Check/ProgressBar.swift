import GatewayBase
import GatewayIO

/// How far a long work is, on standard error where that is a terminal; it goes when the work is done.
struct ProgressBar: Sendable {
  private static let width = 40
  /// What takes less than this many milliseconds shows nothing.
  private static let patience: UInt64 = 150

  /// What is counted, in the plural.
  private let noun: String
  private let isShown: Bool
  private let state: SharedState

  private final class SharedState: Sendable {
    let start = MonotonicClock.nanoseconds
    let drawnAt = Locked<UInt64>(0)
  }

  init(noun: String, isShown: Bool = StandardStream.error.isTerminal) {
    self.noun = noun
    self.isShown = isShown
    state = SharedState()
  }

  /// Tells how many of how many are done. From any thread.
  @Sendable func advance(_ done: Int, _ total: Int) {
    guard isShown, total > 0 else { return }
    let now = MonotonicClock.nanoseconds
    let isDue = state.drawnAt.withLock { drawnAt in
      guard now - state.start > Self.patience * 1_000_000, now - drawnAt > 50_000_000 else { return false }
      drawnAt = now
      return true
    }
    if isDue { draw(done, total) }
  }

  /// Takes the bar away.
  func clear() {
    guard state.drawnAt.withLock({ $0 }) > 0 else { return }
    try? StandardStream.error.write("\r\u{1B}[K")
  }

  private func draw(_ done: Int, _ total: Int) {
    let full = Self.width * min(done, total) / total
    let bar = String(repeating: "#", count: full) + String(repeating: "·", count: Self.width - full)
    try? StandardStream.error.write("\r\u{1B}[K[\(bar)] \(done) of \(total) \(noun)")
  }
}
