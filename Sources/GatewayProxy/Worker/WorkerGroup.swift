import GatewayBase
import GatewayIO

/// The workers of the process, one an event loop, and what is done to all of them.
package final class WorkerGroup: Sendable {
  let mailboxes: [WorkerMailbox]

  /// Starts the workers.
  ///
  /// - Parameter count: loops; one a core is right.
  /// - Throws: `SystemError` where the kernel gives no poller.
  package init(count: Int, context: WorkerContext, snapshot: RoutingSnapshot) throws {
    mailboxes = try (0..<count).map { _ in WorkerMailbox(loop: try EventLoop()) }
    for (index, mailbox) in mailboxes.enumerated() {
      mailbox.loop.start(name: "loop-\(index)") { loop in
        Worker(loop: loop, context: context, mailbox: mailbox, snapshot: snapshot)
      }
    }
  }

  /// Listens with one socket a worker, so that the kernel spreads connections.
  ///
  /// - Returns: the address, with the port that the kernel picked for port 0.
  /// - Throws: `SystemError` where the address can't be had.
  @discardableResult
  package func listen(on address: SocketAddress, for purpose: Listener.Purpose) throws -> SocketAddress {
    // A port that another process listens on could be shared with it, and each would get a part of the connections.
    if address.port != 0 { Socket.close(try Socket.listen(on: address, sharesPort: false)) }
    var bound = address
    for mailbox in mailboxes {
      let descriptor = try Socket.listen(on: bound, sharesPort: true)
      bound = Socket.localAddress(of: descriptor) ?? bound
      let listener = Listener(descriptor: descriptor, port: bound.port, purpose: purpose)
      mailbox.post { $0.listen(on: listener) }
    }
    return bound
  }

  /// Requests that begin from now on see `snapshot`; those that run keep theirs.
  package func route(by snapshot: RoutingSnapshot) {
    for mailbox in mailboxes { mailbox.post { $0.snapshot.value = snapshot } }
  }

  /// Ends what goes on for tokens and apps that are no more.
  package func endStale() {
    for mailbox in mailboxes { mailbox.post { $0.endStale() } }
  }

  package var counters: [WorkerCounters] { mailboxes.map(\.counters) }

  /// Answers from now on end their connections.
  package func beginDraining() {
    for mailbox in mailboxes { mailbox.post { $0.isDraining.value = true } }
  }

  /// Takes in no more connections and ends the idle ones; returns when the rest are done, or after `timeout`
  /// milliseconds.
  package func drain(timeout: UInt64) async {
    for mailbox in mailboxes {
      mailbox.post {
        $0.stopListening()
        $0.endTunnels()
      }
    }
    let end = MonotonicClock.nanoseconds / 1_000_000 + timeout
    // Requests that are on their way arrive before their connection counts as idle.
    try? await Task.sleep(nanoseconds: min(Limits.drainGrace, timeout) * 1_000_000)
    while MonotonicClock.nanoseconds / 1_000_000 < end {
      if await connectionsLeft() == 0 { return }
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
  }

  deinit {
    for mailbox in mailboxes {
      mailbox.post { $0.end() }
      mailbox.loop.stop()
    }
  }

  private func connectionsLeft() async -> Int {
    var left = 0
    for mailbox in mailboxes {
      left += await withCheckedContinuation { continuation in
        mailbox.post { continuation.resume(returning: $0.closeIdleClients()) }
      }
    }
    return left
  }
}

extension Worker {
  /// Ends the connections between requests, gives those that have sent none a last chance, and returns how many are
  /// left.
  func closeIdleClients() -> Int {
    let end = loop.clock.milliseconds + context.limits.lastChance
    clients.forEachHandle { client in
      guard isIdle(client) else { return }
      // A request may have come that no event has told of yet.
      clients[client].incoming.mayRead = true
      driveClient(client)
      guard clients.contains(client), isIdle(client) else { return }
      if clients[client].wasServed {
        close(client: client)
      } else if clients[client].deadline.milliseconds > end {
        loop.wheel.set(&clients[client].deadline, of: client, to: end)
      }
    }
    return clients.count
  }

  private func isIdle(_ client: Handle) -> Bool {
    clients[client].phase == .awaitingHead && clients[client].input == nil
  }

  /// Ends everything at once.
  func end() {
    stopListening()
    clients.forEachHandle { client in
      if clients[client].phase == .exchanging { abort(clients[client].exchange) } else { close(client: client) }
    }
    upstreams.forEachHandle { close(upstream: $0) }
  }
}
