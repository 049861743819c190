import GatewayBase
import GatewayHTTP
import GatewayIO

// Which connection of HTTP/2 carries a request to a backend: one that stands, one that is being made, or a new one.
extension Worker {
  /// Gives the request a stream on a connection that stands; false where none has room.
  func openStream(_ exchange: Handle, to server: UpstreamServer) -> Bool {
    let place = server.place
    for connection in http2Pools.value[ObjectIdentifier(server)] ?? [] {
      guard isCurrent(connection, of: place) else {
        retire(connection)
        continue
      }
      guard submitRequest(exchange, to: place, on: connection) else { continue }
      if place.isLookUpDue(now: loop.clock.milliseconds) { lookUp(place) }
      return true
    }
    return false
  }

  private func isCurrent(_ connection: Handle, of place: UpstreamPlace) -> Bool {
    let moveCount = place.moveCount
    if http2[connection].moveCount == moveCount { return true }
    guard leads(http2[connection].wire.descriptor, to: place) else { return false }
    http2[connection].moveCount = moveCount
    return true
  }

  /// The name has moved away from where the connection leads: it gets no new streams, and ends with those that it has.
  private func retire(_ connection: Handle) {
    leavePool(connection)
    http2[connection].link.machine.finishGoAway()
    list(connection)
  }

  /// Takes a connection to a backend out of its pool; harmless for any other.
  func leavePool(_ connection: Handle) {
    guard let link = http2[connection].link as? HTTP2UpstreamLink else { return }
    let key = ObjectIdentifier(link.server)
    http2Pools.value[key]?.removeAll { $0 == connection }
    if http2Pools.value[key]?.isEmpty ?? false { http2Pools.value[key] = nil }
  }

  // MARK: The connection that is being made

  /// Has the exchange wait for the connection that another one makes to the same server, no longer than for one of its
  /// own; false where nobody makes one.
  func joinAttempt(_ exchange: Handle, at server: UpstreamServer, timeout: UInt64) -> Bool {
    let key = ObjectIdentifier(server)
    guard server.place.speaksHTTP2, let attempt = http2Attempts.value[key], attempt.maker != exchange else {
      return false
    }
    http2Attempts.value[key]?.waiting.append(exchange)
    wait(exchange, for: key, timeout: timeout)
    return true
  }

  /// The exchange begins to connect: those that come for the same server wait for it.
  func beginAttempt(_ exchange: Handle, at server: UpstreamServer) {
    guard server.place.speaksHTTP2, !exchanges[exchange].makesConnection else { return }
    exchanges[exchange].makesConnection = true
    http2Attempts.value[ObjectIdentifier(server)] = HTTP2Attempt(maker: exchange)
  }

  /// The exchange's connection stands, or it makes none any more: those that wait for it go on, in a turn of their own.
  ///
  /// - Parameter passingOver: whether the server could not be reached.
  func endAttempt(_ exchange: Handle, passingOver: Bool) {
    guard exchanges[exchange].makesConnection else { return }
    exchanges[exchange].makesConnection = false
    guard let server = exchanges[exchange].backend?.servers[exchanges[exchange].attempt.server],
      let waiting = http2Attempts.value.removeValue(forKey: ObjectIdentifier(server))?.waiting, !waiting.isEmpty
    else { return }
    mailbox.post { $0.goOn(waiting, from: ObjectIdentifier(server), passingOver: passingOver) }
  }
}

/// A connection of HTTP/2 that is being made, by one exchange for all that come meanwhile.
struct HTTP2Attempt {
  let maker: Handle
  var waiting: [Handle] = []
}
