import GatewayBase
import GatewayHTTP
import GatewayIO

// Connections of a listener behind a proxy that announces each: where it came from is read before anything else.
extension Worker {
  /// Reads the announcement, and not a byte more, so that what follows is whoever's turn it is; false where it has not
  /// come yet, or the connection was closed.
  ///
  /// The bytes are looked at where they are and taken once they are whole. That costs a call more than taking them at
  /// once, but once a connection.
  func readAnnouncement(_ handle: Handle) -> Bool {
    guard clients[handle].incoming.mayRead else { return false }
    let descriptor = clients[handle].wire.descriptor
    var block = blocks.take()
    let result = Socket.peek(descriptor, into: &block, atMost: Limits.proxyAnnouncement)
    let verdict = ProxyAnnouncement.read(block.bytes)
    var isTaken = false
    if case .complete(let count, _) = verdict { isTaken = Socket.skip(descriptor, count, using: &block) }
    block.clear()
    blocks.give(block)
    if case .complete(_, let source) = verdict, isTaken { return announced(handle, source) }
    if verdict == .incomplete && mayGoOn(handle, after: result) {
      // More bytes are a new event, also while these are still unread.
      clients[handle].incoming.mayRead = false
      return false
    }
    counters.announcementsRefused.increment()
    close(client: handle)
    return false
  }

  private func mayGoOn(_ handle: Handle, after result: Transfer) -> Bool {
    switch result {
    case .moved: !clients[handle].incoming.peerEnded
    case .wouldBlock: true
    case .ended, .failed: false
    }
  }

  /// The peer is now the one that the proxy named, with that one's limits and trust.
  private func announced(_ handle: Handle, _ source: SocketAddress?) -> Bool {
    if let source {
      clients[handle].peer = source
      clients[handle].isTrusted = context.trusted.contain(source.host)
    }
    guard countAddress(handle) else { return false }
    clients[handle].phase = clients[handle].wire.isTLS ? .handshaking : .awaitingHead
    return true
  }

  /// Counts the connection for the address of its peer; false where that has too many, and the connection was closed.
  ///
  /// A proxy that is trusted is exempt, as it stands for all of its clients.
  func countAddress(_ handle: Handle) -> Bool {
    guard !clients[handle].isTrusted, !clients[handle].listener.isService else { return true }
    guard context.connections.enter(clients[handle].peer.host) else {
      counters.connectionsRefusedByAddress.increment()
      close(client: handle)
      return false
    }
    clients[handle].isCounted = true
    return true
  }
}
