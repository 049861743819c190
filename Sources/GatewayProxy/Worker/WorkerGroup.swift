import GatewayBase
import GatewayIO

/// The workers of the process, one an event loop, and what is done to all of them.
package final class WorkerGroup: Sendable {
  let mailboxes: [WorkerMailbox]
  /// What the loops route by from the next change on.
  private let snapshot: Locked<RoutingSnapshot>

  /// Starts the workers.
  ///
  /// - Parameter count: loops; one a core is right.
  /// - Throws: `SystemError` where the kernel gives no poller.
  package init(count: Int, context: WorkerContext, snapshot: RoutingSnapshot) throws {
    self.snapshot = Locked(snapshot)
    mailboxes = try (0..<count).map { WorkerMailbox(loop: try EventLoop(), index: $0) }
    for (index, mailbox) in mailboxes.enumerated() {
      mailbox.loop.start(name: "loop-\(index)") { loop in
        Worker(loop: loop, context: context, mailbox: mailbox, snapshot: snapshot)
      }
    }
  }

  /// Listens with one socket a worker, so that the kernel spreads connections.
  ///
  /// - Parameter isAnnounced: whether a proxy in front announces each connection (PROXY protocol).
  /// - Returns: the address, with the port that the kernel picked for port 0.
  /// - Throws: `SystemError` where the address can't be had.
  @discardableResult
  package func listen(
    on address: SocketAddress, for purpose: Listener.Purpose, tls: TLSServing? = nil, isAnnounced: Bool = false
  ) throws -> SocketAddress {
    let sockets = try ListeningSockets(on: address, loops: mailboxes.count)
    listen(with: sockets, for: purpose, tls: tls, isAnnounced: isAnnounced)
    return sockets.address
  }

  /// Serves what comes from `sockets`, which the workers own from now on.
  ///
  /// - Parameters:
  ///   - name: nil for a listener that is never handed over.
  ///   - outlivesDrain: it goes with the process, and its connections hold up no drain.
  package func listen(
    with sockets: ListeningSockets, for purpose: Listener.Purpose, tls: TLSServing? = nil, isAnnounced: Bool = false,
    name: Listener.Name? = nil, outlivesDrain: Bool = false
  ) {
    for (index, descriptor) in sockets.descriptors.enumerated() {
      let listener = Listener(
        descriptor: descriptor, port: sockets.address.port, purpose: purpose, tls: tls, isAnnounced: isAnnounced,
        name: name, outlivesDrain: outlivesDrain)
      mailboxes[index % mailboxes.count].post { $0.listen(on: listener) }
    }
  }

  /// How many there are.
  package var count: Int { mailboxes.count }

  /// Some apps, or versions of them, go and others come. Requests that begin from now on see that; those that run keep
  /// what they began with.
  package func replace(_ gone: [Tenant], with new: [Tenant]) {
    snapshot.withLock { snapshot in
      let next = snapshot.replacing(gone, with: new)
      snapshot = next
      // Under the lock, so that two changes reach all loops in one order.
      for mailbox in mailboxes { mailbox.post { $0.snapshot.value = next } }
    }
  }

  /// Ends what goes on for tokens and apps that are no more.
  package func endStale() {
    for mailbox in mailboxes { mailbox.post { $0.endStale() } }
  }

  package var counters: [WorkerCounters] { mailboxes.map(\.counters) }

  /// Answers from now on end their connections.
  package func beginDraining() {
    for mailbox in mailboxes { mailbox.post { $0.beginDraining() } }
  }

  /// Takes in no more connections and ends the idle ones; returns when the rest are done, or after `timeout`
  /// milliseconds.
  package func drain(timeout: UInt64) async {
    for mailbox in mailboxes {
      mailbox.post {
        $0.stopListening { !$0.outlivesDrain }
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
    var left = 0
    clients.forEachHandle { client in
      guard !clients[client].listener.outlivesDrain, clients[client].stream == nil else { return }
      left += 1
      guard isIdle(client) else { return }
      // A request may have come that no event has told of yet.
      clients[client].incoming.mayRead = true
      driveClient(client)
      guard clients.contains(client), isIdle(client) else { return }
      if clients[client].wasServed {
        // Not at once: a request that crosses the end on its way would get a reset instead of a clean end.
        linger(client)
      } else if clients[client].deadline.milliseconds > end {
        loop.wheel.set(&clients[client].deadline, of: client, to: end)
      }
    }
    http2.forEachHandle { handle in
      http2[handle].link.machine.finishGoAway()
      list(handle)
      if http2[handle].link is HTTP2ClientLink { left += 1 }
    }
    return left
  }

  /// Answers end their connections from now on, and streams are asked for elsewhere (RFC 9113 section 6.8).
  func beginDraining() {
    isDraining.value = true
    http2.forEachHandle { handle in
      http2[handle].link.machine.beginGoAway()
      list(handle)
    }
  }

  private func isIdle(_ client: Handle) -> Bool {
    switch clients[client].phase {
    case .announcing, .handshaking: true
    case .awaitingHead: clients[client].input == nil && clients[client].stream == nil
    case .exchanging, .lingering: false
    }
  }

  /// Ends everything at once.
  func end() {
    stopListening { _ in true }
    clients.forEachHandle { client in
      if clients[client].phase == .exchanging { abort(clients[client].exchange) } else { close(client: client) }
    }
    http2.forEachHandle { close(http2: $0) }
    upstreams.forEachHandle { close(upstream: $0) }
  }
}
