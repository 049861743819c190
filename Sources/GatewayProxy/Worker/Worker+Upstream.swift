import GatewayBase
import GatewayHTTP
import GatewayIO

// A backend's connection: made, used, kept, given up.
extension Worker {
  func upstreamReady(_ handle: Handle, _ readiness: Readiness) {
    upstreams[handle].incoming.note(readiness)
    switch upstreams[handle].phase {
    case .idle: idleUpstreamSpoke(handle, readiness)
    case .finishing: dropAnswer(handle)
    case .connecting:
      guard readiness.hasAny(of: .writable, .broken) else { return }
      let client = exchanges[upstreams[handle].exchange].client
      if Socket.pendingError(upstreams[handle].wire.descriptor) == 0 && !readiness.hasAny(of: .broken) {
        let exchange = upstreams[handle].exchange
        connected(handle)
        // No further event tells of what has come already.
        if exchanges.contains(exchange) { driveResponse(exchange) }
      } else {
        connectFailed(handle)
      }
      driveClient(client)
    case .handshaking:
      let client = exchanges[upstreams[handle].exchange].client
      agreeOnTLS(upstream: handle)
      driveClient(client)
    case .busy:
      let exchange = upstreams[handle].exchange
      let client = exchanges[exchange].client
      if readiness.hasAny(of: .writable) { send(exchange) }
      if exchanges.contains(exchange) { driveResponse(exchange) }
      driveClient(client)
    }
  }

  func established(_ handle: Handle) {
    if upstreams[handle].place.speaksHTTP2 { return becomeHTTP2(upstream: handle) }
    let exchange = upstreams[handle].exchange
    guard let timeouts = exchanges[exchange].backend?.timeouts else { return abort(exchange) }
    upstreams[handle].phase = .busy
    loop.wheel.set(&upstreams[handle].deadline, of: handle, to: loop.clock.milliseconds + timeouts.response)
    send(exchange)
  }

  /// Bytes or an end on a connection that owes nothing: it can't be used any more.
  private func idleUpstreamSpoke(_ handle: Handle, _ readiness: Readiness) {
    guard readiness.hasAny(of: .readable) || readiness.hasAny(of: .peerEnded, .broken) else { return }
    pools.value[upstreams[handle].place.poolIndex].remove(handle)
    close(upstream: handle)
  }

  func upstreamIsLate(_ handle: Handle) {
    switch upstreams[handle].phase {
    case .idle:
      pools.value[upstreams[handle].place.poolIndex].remove(handle)
      close(upstream: handle)
    case .finishing: close(upstream: handle)
    case .connecting, .handshaking:
      let client = exchanges[upstreams[handle].exchange].client
      connectFailed(handle)
      driveClient(client)
    case .busy:
      let exchange = upstreams[handle].exchange
      let client = exchanges[exchange].client
      if exchanges[exchange].isTunnel {
        endTunnel(exchange, .goingAway)
      } else if exchanges[exchange].phase == .relaying {
        abort(exchange)
      } else {
        serverFailed(.unserved, exchange)
        refuse(exchange, .backendTimeout)
      }
      driveClient(client)
    }
  }

  /// The answer is complete: the connection goes to its pool if nothing speaks against it.
  func release(upstreamOf exchange: Handle) {
    let handle = exchanges[exchange].upstream
    guard !handle.isNone else { return }
    serverServed(exchange)
    letBackendGo(exchange)
    exchanges[exchange].upstream = .none
    let requestIsOut = exchanges[exchange].requestBody.isComplete && (exchanges[exchange].requestOut?.isEmpty ?? true)
    if upstreams[handle].stream != nil { return releaseStream(handle, requestIsOut: requestIsOut) }
    let index = upstreams[handle].place.poolIndex
    while pools.value.count <= index { pools.value.append(UpstreamPool()) }
    // What may still be unread would be taken for the next answer, so that a backend could forge it in advance.
    guard exchanges[exchange].upstreamKeepsAlive, requestIsOut, upstreams[handle].input == nil,
      !upstreams[handle].incoming.mayRead, !upstreams[handle].incoming.peerEnded, pools.value[index].put(handle)
    else { return close(upstream: handle) }
    upstreams[handle].phase = .idle
    upstreams[handle].exchange = .none
    loop.wheel.set(
      &upstreams[handle].deadline, of: handle, to: loop.clock.milliseconds + upstreams[handle].idleLimit)
  }

  /// Ends the connection, and the attempts that race with it.
  func close(upstream handle: Handle) {
    var handle = handle
    while !handle.isNone {
      let rival = upstreams[handle].rival
      give(upstreams[handle].input.take())
      if upstreams[handle].stream == nil { upstreams[handle].wire.close() } else { resetStream(upstream: handle) }
      upstreams.remove(handle)
      handle = rival
    }
  }
}
