import GatewayIO
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
  /// Closed at `limits.maxConnections`.
  package let connectionsRefused = Counter()
  package let handshakes = Counter()
  package let handshakesFailed = Counter()
  package let http2Streams = Counter()
  /// HTTP/2 connections ended for asking for too much work.
  package let http2Floods = Counter()
  /// Closed at `limits.maxConnectionsPerAddress`.
  package let connectionsRefusedByAddress = Counter()
  /// Closed for want of a good announcement of the PROXY protocol.
  package let announcementsRefused = Counter()
  /// Requests that were over the rate limit of their route.
  package let rateLimited = Counter()
  package let upstreamConnections = Counter()
  package let retries = Counter()
  package let aborted = Counter()
  /// Bearer tokens that were remembered; whose signature was checked and good; that were no good.
  package let tokensKnown = Counter()
  package let tokensAdmitted = Counter()
  package let tokensRefused = Counter()
  /// WebSockets that were opened, and those of them that have ended.
  package let webSockets = Counter()
  package let webSocketsClosed = Counter()

  package let apps = AppCells()
  private let refusals = CellBlock(count: RefusalCode.texts.count)

  init() {}

  func count(_ refusal: RefusalCode) { refusals.add(1, at: Int(refusal.index)) }

  /// How many refusals there were of each code, in the order of `RefusalCode.texts`.
  package var refusalCounts: [UInt64] { (0..<refusals.count).map { refusals.value(at: $0) } }
}
