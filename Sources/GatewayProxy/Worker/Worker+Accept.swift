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
    return true
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

  /// Stops taking in connections; those that stand go on. From now on the kernel refuses more, or gives them to
  /// another process on the same port.
  func stopListening() {
    listeners.forEachHandle { handle in
      // Those that the kernel has made already would be reset with the listener.
      while accept(from: handle) {}
      Socket.close(listeners[handle].listener.descriptor)
      listeners.remove(handle)
    }
  }
}
