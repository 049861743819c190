import GatewayIO

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
    loop.poller.watchInput(listener.descriptor, as: handle)
  }

  func accept(from handle: Handle) {
    let listener = listeners[handle].listener
    for _ in 0..<Self.batch {
      switch Socket.accept(from: listener.descriptor) {
      case .none: return
      case .exhausted: return pauseAccepting(handle)
      case .connection(let descriptor, let peer):
        guard clients.count < context.limits.connections else {
          counters.connectionsRefused.increment()
          Socket.close(descriptor)
          continue
        }
        let client = clients.insert(ClientConnection(descriptor: descriptor, peer: peer, listener: listener))
        counters.connections.increment()
        loop.poller.watch(descriptor, as: client)
        loop.wheel.set(
          &clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.head)
      }
    }
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
    loop.poller.watchInput(listeners[handle].listener.descriptor, as: handle)
  }

  /// Stops taking in connections; those that stand go on, those that wait to be accepted too.
  func stopListening() {
    listeners.forEachHandle { handle in
      let descriptor = listeners[handle].listener.descriptor
      if !listeners[handle].isPaused {
        loop.poller.unwatch(descriptor)
        accept(from: handle)
      }
      Socket.close(descriptor)
      listeners.remove(handle)
    }
  }
}
