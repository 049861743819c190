import GatewayBase
import GatewayIO

/// The thread that keeps the apps as their files say. It gives way to the loops.
final class TenantWatch: Sendable {
  private struct State {
    var isStopped = false
    /// Told once all files have been read.
    var reloads: [@Sendable () -> Void] = []
  }

  private let files: TenantFiles
  private let events: FolderEvents
  private let state = Locked(State())

  init(_ files: TenantFiles, events: FolderEvents) {
    self.files = files
    self.events = events
  }

  func start() {
    Thread.start(name: "tenants", yields: true) { [self] in
      while let reloads = next() {
        if !reloads.isEmpty { files.readAll(now: Self.now) }
        for done in reloads { done() }
        events.wait(milliseconds: Int(clamping: files.look(now: Self.now)))
      }
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    events.wake()
  }

  /// Reads all files at once; returns when what they say is live.
  func reload() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.reloads.append { continuation.resume() } }
      events.wake()
    }
  }

  private func next() -> [@Sendable () -> Void]? {
    state.withLock { state in
      defer { state.reloads = [] }
      return state.isStopped ? nil : state.reloads
    }
  }

  private static var now: UInt64 { MonotonicClock.nanoseconds / 1_000_000 }
}
