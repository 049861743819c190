import GatewayBase
import GatewayStore

/// Tokens that end unless they are used in time: those that stand in a URL, where others may find them later.
///
/// The first use in time makes a ticket a token as any other. This node knows it at once, and the store behind: nobody
/// waits for it. Past its time a ticket is taken only where it is known to have been used; so what was never used needs no
/// end of its own, also while the store is gone. Other nodes learn of a use with their next poll (`Revocations`).
package final class Tickets: Sendable {
  /// Tickets that one transaction tells.
  private static let batch = 500
  private static let interval = Duration.seconds(1)

  private struct Queue {
    var waiting: [UsedTicket] = []
    var isTelling = false
  }

  private let store: any Store
  private let known: RevocationSet
  private let clock: any WallClock
  private let logger: Logger
  private let queue = Locked(Queue())

  package init(store: any Store, known: RevocationSet, clock: any WallClock, logger: Logger) {
    self.store = store
    self.known = known
    self.clock = clock
    self.logger = logger
  }

  /// Whether a token may be used now; its first use in time is noted by this. A token that is no ticket always may.
  package func admit(_ token: AccessToken, now: UnixTime) -> Bool {
    guard let useBy = token.useBy else { return true }
    let ticket = UsedTicket(token)
    switch known.use(of: ticket, by: useBy, now: now, isNoted: true) {
    case .again: return true
    case .late: return false
    case .first:
      note(ticket)
      return true
    }
  }

  private func note(_ ticket: UsedTicket) {
    let (isKept, starts) = queue.withLock { queue in
      guard queue.waiting.count < Limits.ticketQueue else { return (false, false) }
      queue.waiting.append(ticket)
      defer { queue.isTelling = true }
      return (true, !queue.isTelling)
    }
    if !isKept { logger.warning("too many used tickets wait for the store: other nodes do not learn of one") }
    guard starts else { return }
    // A failure is told by `run`, which tries again.
    Task { try? await tell() }
  }

  /// Tells other nodes what waits, until nothing does.
  private func tell() async throws {
    while let tickets = next() {
      do {
        try await store.write { connection in
          for ticket in tickets { try ticket.insert(on: connection) }
        }
      } catch {
        queue.withLock { $0.isTelling = false }
        throw error
      }
      queue.withLock { $0.waiting.removeFirst(tickets.count) }
    }
  }

  /// What is told next; nil where nothing waits, and then nobody tells any more.
  private func next() -> [UsedTicket]? {
    let now = clock.now
    return queue.withLock { queue in
      queue.waiting.removeAll { $0.expiresAt <= now }
      queue.isTelling = !queue.waiting.isEmpty
      return queue.isTelling ? Array(queue.waiting.prefix(Self.batch)) : nil
    }
  }

  /// Tells what could not be told at once, until the task is cancelled.
  package func run() async {
    await StoreRounds(
      every: Self.interval, failing: "used tickets can't be told to other nodes",
      recovered: "used tickets are told to other nodes again", logger: logger
    ).run {
      let starts = queue.withLock { queue in
        defer { if !queue.waiting.isEmpty { queue.isTelling = true } }
        return !queue.isTelling && !queue.waiting.isEmpty
      }
      if starts { try await tell() }
      return .again
    }
  }

  /// How many used tickets other nodes have not been told of.
  package var waiting: Int { queue.withLock { $0.waiting.count } }
}

extension RevocationSet {
  /// Whether a token could be used now, for whoever only looks: no use is noted.
  package func couldAdmit(_ token: AccessToken, now: UnixTime) -> Bool {
    guard let useBy = token.useBy else { return true }
    return use(of: UsedTicket(token), by: useBy, now: now, isNoted: false) != .late
  }
}
