import GatewayBase
import Glibc

/// Trial loads of several libraries side by side, so that they take the time of the slowest.
struct TrialBatch {
  private let host: PluginHost
  private var running: [Int: TrialProcess] = [:]
  private var failures: [Int: PluginFailure] = [:]

  private init(host: PluginHost) { self.host = host }

  /// Loads each library in a child process, and waits for them all.
  ///
  /// - Parameter libraries: path, plugin name and version of each.
  /// - Returns: why each can't be loaded, by its index; those that can are not in it.
  static func run(
    _ libraries: [(path: String, name: String, version: String)], host: PluginHost
  ) -> [Int: PluginFailure] {
    var batch = TrialBatch(host: host)
    for (index, library) in libraries.enumerated() {
      do throws(PluginFailure) {
        batch.running[index] = try TrialProcess(
          path: library.path, name: library.name, version: library.version, host: host)
      } catch {
        batch.failures[index] = error
      }
    }
    batch.waitForAll(until: MonotonicClock.nanoseconds + host.timeLimit * 1_000_000)
    return batch.failures
  }

  private mutating func waitForAll(until deadline: UInt64) {
    while !running.isEmpty {
      let now = MonotonicClock.nanoseconds
      guard now < deadline else { return killAll() }
      let processes = Array(running)
      var watched = processes.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
      // Rounded up, so that the last wait does not become a busy one.
      let milliseconds = Int32(clamping: (deadline - now + 999_999) / 1_000_000)
      guard unsafe poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { continue }
      for (process, watch) in zip(processes, watched) where watch.revents != 0 {
        running[process.key] = nil
        failures[process.key] = process.value.outcome()
      }
    }
  }

  private mutating func killAll() {
    for (index, process) in running {
      process.kill()
      failures[index] = PluginFailure("the library did not finish loading within \(host.timeLimit) ms")
    }
    running = [:]
  }
}
