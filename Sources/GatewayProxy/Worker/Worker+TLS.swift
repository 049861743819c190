import GatewayBase
import GatewayIO
import GatewayTLS

// The handshake of a connection from the client side.
extension Worker {
  /// Takes the handshake on; false where more bytes must come, or the record has gone.
  func agreeOnTLS(_ client: Handle) -> Bool {
    switch clients[client].wire.handshake() {
    case .needsMore: return false
    case .failed(let failure):
      counters.handshakesFailed.increment()
      context.logger.debug("a TLS handshake failed", .text("reason", "\(failure)"))
      close(client: client)
      return false
    case .done(let chosen):
      counters.handshakes.increment()
      if chosen == .http2 {
        becomeHTTP2(client)
        return false
      }
      clients[client].phase = .awaitingHead
      // The request may have come with the last of the handshake.
      clients[client].incoming.mayRead = true
      return true
    }
  }
}

// The handshake of a connection to a backend.
extension Worker {
  /// A connection stands: what it speaks comes next.
  func connected(_ handle: Handle) {
    winRace(handle, upstreams[handle].exchange)
    if upstreams[handle].wire.isTLS {
      upstreams[handle].phase = .handshaking
      agreeOnTLS(upstream: handle)
    } else {
      established(handle)
    }
  }

  /// Takes the handshake with a backend on.
  func agreeOnTLS(upstream handle: Handle) {
    let place = upstreams[handle].place
    switch upstreams[handle].wire.handshake() {
    case .needsMore: return
    case .done(let chosen):
      if place.speaksHTTP2 == (chosen == .http2) { return established(handle) }
      report("it does not agree on HTTP/2", of: place)
    case .failed(let failure): report("\(failure)", of: place)
    }
    connectFailed(handle)
  }

  /// The wire of a connection to a backend; nil where TLS can't be begun.
  func wire(_ descriptor: Int32, to place: UpstreamPlace) -> Wire? {
    if place.endpoint.security == .plain { return Wire(descriptor: descriptor) }
    do throws(TLSProblem) {
      guard let session = try place.tls?.session(tlsBuffers, now: loop.clock.milliseconds) else { return nil }
      return Wire(descriptor: descriptor, session: session)
    } catch {
      report("\(error)", of: place)
      return nil
    }
  }

  private func report(_ reason: String, of place: UpstreamPlace) {
    context.logger.warning(
      "a backend can't be reached over TLS", .text("server", "\(place.endpoint)"), .text("reason", reason))
  }
}
