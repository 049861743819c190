import GatewayBase
import GatewayIO
import GatewayTLS

/// A listener as one worker holds it.
struct Listening: ~Copyable {
  let listener: Listener
  var deadline = Deadline()
  var isPaused = false
}

extension Worker {
  /// Connections taken in at one event, so that the others get their turn.
  private static var batch: Int { 64 }
  /// Milliseconds without accepting after the process ran out of descriptors.
  private static var pause: UInt64 { 100 }

  func listen(on listener: Listener) {
    let handle = listeners.insert(Listening(listener: listener))
    loop.poller.watch(listener: listener.descriptor, as: handle)
  }

  /// Takes connections in; true where more may wait.
  @discardableResult
  func accept(from handle: Handle) -> Bool {
    let listener = listeners[handle].listener
    for _ in 0..<Self.batch {
      switch Socket.accept(from: listener.descriptor) {
      case .none: return false
      case .exhausted:
        pauseAccepting(handle)
        return false
      case .connection(let descriptor, let peer):
        takeIn(descriptor, from: peer, at: listener)
      }
    }
    return true
  }

  /// The wire of a connection that was accepted; nil where there is no memory for it.
  private func wire(_ descriptor: Int32, _ listener: Listener) -> Wire? {
    guard let tls = listener.tls else { return Wire(descriptor: descriptor) }
    guard let session = tls.context.session(tlsBuffers) else { return nil }
    return Wire(descriptor: descriptor, session: session)
  }

  private func takeIn(_ descriptor: Int32, from peer: SocketAddress, at listener: Listener) {
    guard context.connections.enter(isService: listener.isService) else {
      counters.connectionsRefused.increment()
      return Socket.close(descriptor)
    }
    guard let wire = wire(descriptor, listener) else {
      context.connections.leave(isService: listener.isService)
      return Socket.close(descriptor)
    }
    let isTrusted = context.trusted.contain(peer.host)
    let client = clients.insert(ClientConnection(wire: wire, peer: peer, listener: listener, isTrusted: isTrusted))
    counters.connections.increment()
    if listener.isAnnounced {
      // Who may announce may say that it is anyone.
      guard isTrusted || context.trusted.isEmpty else {
        counters.announcementsRefused.increment()
        return close(client: client)
      }
    } else if !countAddress(client) {
      return
    }
    loop.poller.watch(descriptor, as: client)
    loop.wheel.set(&clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.head)
  }

  private func pauseAccepting(_ handle: Handle) {
    context.logger.warning("no descriptors left: accepting is paused")
    loop.poller.unwatch(listeners[handle].listener.descriptor)
    listeners[handle].isPaused = true
    loop.wheel.set(&listeners[handle].deadline, of: handle, to: loop.clock.milliseconds + Self.pause)
  }

  func resumeAccepting(_ handle: Handle) {
    guard listeners[handle].isPaused else { return }
    listeners[handle].isPaused = false
    loop.poller.watch(listener: listeners[handle].listener.descriptor, as: handle)
  }

  /// Stops taking in connections from some listeners; those that stand go on. From now on the kernel refuses more, or
  /// gives them to another process on the same port.
  func stopListening(where isChosen: (Listener) -> Bool) {
    listeners.forEachHandle { handle in
      guard isChosen(listeners[handle].listener) else { return }
      // Those that the kernel has made already would be reset with the listener.
      while accept(from: handle) {}
      close(listener: handle)
    }
  }

  /// Leaves some listeners to another process, which has the same sockets: it takes in what waits there.
  func release(_ names: Set<Listener.Name>) {
    listeners.forEachHandle { handle in
      if let name = listeners[handle].listener.name, names.contains(name) { close(listener: handle) }
    }
  }

  /// Another descriptor of each listener that has a name.
  func duplicateListeners() -> [(name: Listener.Name, descriptor: Int32)] {
    var copies: [(name: Listener.Name, descriptor: Int32)] = []
    listeners.forEachHandle { handle in
      let listener = listeners[handle].listener
      if let name = listener.name, let copy = Socket.duplicate(listener.descriptor) { copies.append((name, copy)) }
    }
    return copies
  }

  private func close(listener handle: Handle) {
    let descriptor = listeners[handle].listener.descriptor
    // Closing alone does not end the watch where another descriptor of the socket is open: events would come for ever.
    if !listeners[handle].isPaused { loop.poller.unwatch(descriptor) }
    Socket.close(descriptor)
    listeners.remove(handle)
  }
}
