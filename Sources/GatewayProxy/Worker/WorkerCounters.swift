import Synchronization

/// Counts of one worker, written by its thread alone and summed when they are read.
package final class WorkerCounters: Sendable {
  /// A number that one thread raises and any may read: no bus lock is needed.
  package struct Counter: ~Copyable, Sendable {
    private let number = Atomic<UInt64>(0)

    func increment() { number.store(number.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    package var value: UInt64 { number.load(ordering: .relaxed) }
  }

  package let connections = Counter()
  package let connectionsClosed = Counter()
  package let connectionsRefused = Counter()
  package let upstreamConnections = Counter()
  package let retries = Counter()
  package let aborted = Counter()
  package let answered2xx = Counter()
  package let answered3xx = Counter()
  package let answered4xx = Counter()
  package let answered5xx = Counter()

  init() {}

  func count(status: UInt16) {
    switch status {
    case 200..<300: answered2xx.increment()
    case 300..<400: answered3xx.increment()
    case 400..<500: answered4xx.increment()
    case 500...: answered5xx.increment()
    default: break  // no answer was begun
    }
  }
}
