import GatewayBase
import GatewayHTTP
import GatewayIO

// The client side of HTTP/1.1: bytes to heads, one exchange at a time, and the end of the connection.
extension Worker {
  func clientReady(_ handle: Handle, _ readiness: Readiness) {
    let hadEnded = clients[handle].incoming.peerEnded
    clients[handle].incoming.note(readiness)
    if readiness.hasAny(of: .broken) { return clientIsGone(handle) }
    if !hadEnded, clients[handle].incoming.peerEnded, clients[handle].phase == .exchanging { clientHasEnded(handle) }
    if readiness.hasAny(of: .writable), clients[handle].phase == .exchanging {
      clientIsWritable(clients[handle].exchange)
      guard clients.contains(handle) else { return }
    }
    driveClient(handle)
  }

  /// Requests of one connection that are begun in one go, before the other connections get their turn.
  private static var pipelined: Int { 16 }

  /// Takes the connection as far as its bytes allow. A loop, so that pipelined requests do not nest.
  func driveClient(_ handle: Handle) {
    var begun = 0
    while clients.contains(handle) {
      switch clients[handle].phase {
      case .handshaking: guard agreeOnTLS(handle) else { return }
      case .announcing: guard readAnnouncement(handle) else { return }
      case .awaitingHead:
        guard begun < Self.pipelined else { return driveLater(handle) }
        guard readHead(handle) else { return }
        begun += 1
      case .exchanging:
        let exchange = clients[handle].exchange
        // Where the exchange is over, what follows it on the connection is due, and no event may tell of it.
        if !driveRequestBody(handle), exchanges.contains(exchange) { return creditWindow(handle) }
      case .lingering: return dropInput(handle)
      }
    }
  }

  private func driveLater(_ handle: Handle) {
    mailbox.post { if $0.clients.contains(handle) { $0.driveClient(handle) } }
  }

  /// Reads until a head is whole and begins its exchange; false where more bytes must come, or the connection ended.
  private func readHead(_ handle: Handle) -> Bool {
    var block = clients[handle].input.take() ?? blocks.take()
    if block.isEmpty { block.leaveRoomInFront(Limits.roomForHead) }
    while true {
      if block.count <= snapshot.value.maxHeader, clients[handle].scanner.mayParse(block.bytes) {
        let count = block.count
        clients[handle].input = consume block
        beginExchange(handle, headCount: count, refusing: nil)
        return true
      }
      if !block.isEmpty {
        switch clients[handle].scanner.scan(block.bytes) {
        case .complete(let count):
          let refusal = count > snapshot.value.maxHeader ? Self.refusal(ofLarge: block.bytes) : nil
          clients[handle].input = consume block
          beginExchange(handle, headCount: count, refusing: refusal)
          return true
        case .malformed:
          clients[handle].input = consume block
          beginExchange(handle, headCount: 0, refusing: .badRequest("The head is malformed."))
          return true
        case .incomplete:
          if block.count > snapshot.value.maxHeader {
            let refusal = Self.refusal(ofLarge: block.bytes)
            clients[handle].input = consume block
            beginExchange(handle, headCount: 0, refusing: refusal)
            return true
          }
        }
      }
      guard clients[handle].incoming.mayRead else {
        clients[handle].input = keep(block)
        return false
      }
      if block.room == 0 { block.compact() }
      let room = block.room
      let isFirstByte = block.isEmpty
      switch clients[handle].wire.receive(into: &block) {
      case .moved(let count):
        clients[handle].incoming.noteRead(count, of: room, from: clients[handle].wire)
        if isFirstByte {
          loop.wheel.set(
            &clients[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.head)
        }
      case .wouldBlock:
        clients[handle].incoming.mayRead = false
      case .ended, .failed:
        blocks.give(block)
        close(client: handle)
        return false
      }
    }
  }

  /// What a head over the limit is refused for: its target, where the first line alone is too long.
  private static func refusal(ofLarge head: Span<UInt8>) -> Refusal {
    let longest = min(head.count, Limits.target + Limits.method)
    for index in 0..<longest where head[index] == UInt8(ascii: "\n") && index > 1 { return .headerTooLarge }
    return .targetTooLong
  }

  /// Drops what the client still sends, up to a bound.
  private func dropInput(_ handle: Handle) {
    guard clients[handle].stream == nil else { return }
    var block = blocks.take()
    while clients[handle].incoming.mayRead {
      block.clear()
      let room = block.room
      guard case .moved(let count) = clients[handle].wire.receive(into: &block) else {
        // Nothing now, the end, or a failure: only the first leaves something to wait for.
        clients[handle].incoming.mayRead = false
        if clients[handle].incoming.peerEnded { close(client: handle) }
        break
      }
      clients[handle].incoming.noteRead(count, of: room, from: clients[handle].wire)
      clients[handle].lingered += count
      if clients[handle].lingered > Limits.lingering {
        close(client: handle)
        break
      }
    }
    blocks.give(block)
  }

  private func clientIsGone(_ handle: Handle) {
    if clients[handle].phase == .exchanging { abort(clients[handle].exchange) } else { close(client: handle) }
  }

  /// The client ended its direction. What it sent before is still to be read, and what waits for it to be taken has
  /// its time already.
  private func clientHasEnded(_ handle: Handle) {
    let exchange = clients[handle].exchange
    guard exchanges[exchange].requestBody.isComplete, exchanges[exchange].responseOut == nil else { return }
    nothingIsDue(from: handle)
  }

  /// The client owes no byte of its request and takes what it is sent, so that it may take its time.
  ///
  /// One that has ended its direction may have gone, or may still read (`shutdown(SHUT_WR)`). The kernel does not
  /// tell which before something is sent, so the answer gets a short time to begin or to go on.
  func nothingIsDue(from handle: Handle) {
    if clients[handle].incoming.peerEnded {
      loop.wheel.set(
        &clients[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.halfClosed)
    } else {
      loop.wheel.clear(&clients[handle].deadline)
    }
  }

  func clientIsLate(_ handle: Handle) {
    switch clients[handle].phase {
    case .announcing, .handshaking, .lingering: close(client: handle)
    case .awaitingHead:
      if clients[handle].input == nil { return close(client: handle) }
      beginExchange(handle, headCount: 0, refusing: .requestTimeout)
      driveClient(handle)
    case .exchanging:
      let exchange = clients[handle].exchange
      if takesBytes(handle) { return }
      if exchanges[exchange].status == 0, !exchanges[exchange].requestBody.isComplete,
        !clients[handle].incoming.peerEnded
      {
        refuse(exchange, .requestTimeout)
        driveClient(handle)
      } else {
        abort(exchange)
      }
    }
  }

  /// Whether the client is late only because the kernel reports room for the answer in large steps: then what is in
  /// its queue has become less, and the client gets as long again.
  private func takesBytes(_ handle: Handle) -> Bool {
    guard isBlocked(clients[handle].exchange) else { return false }
    let queued =
      clients[handle].stream == nil
      ? Socket.queuedBytes(clients[handle].wire.descriptor) : clients[handle].output?.count ?? 0
    guard queued < clients[handle].queued else { return false }
    clients[handle].queued = queued
    loop.wheel.set(&clients[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.progress)
    return true
  }

  /// Ends the connection at once.
  func close(client handle: Handle) {
    give(clients[handle].input.take())
    if clients[handle].stream == nil {
      leave(clients[handle].listener, clients[handle].peer, isCounted: clients[handle].isCounted)
      clients[handle].wire.close()
    } else {
      give(clients[handle].late.take())
      give(clients[handle].output.take())
      resetStream(handle)
    }
    clients.remove(handle)
  }

  /// A connection of the client side, of either protocol, is no more.
  func leave(_ listener: Listener, _ peer: SocketAddress, isCounted: Bool) {
    context.connections.leave(isService: listener.isService)
    if isCounted { context.connections.leave(peer.host) }
    counters.connectionsClosed.increment()
  }
}
