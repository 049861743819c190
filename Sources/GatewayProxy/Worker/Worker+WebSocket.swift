import GatewayBase
import GatewayHTTP
import GatewayIO

// WebSockets: an upgrade is a result of the pipeline. Both bodies last as long as the connection, and the same code
// passes them on as any others. The gateway reads no more of the frames than where they end.
extension Worker {
  /// What a WebSocket handshake offers; nil for an ordinary request.
  ///
  /// - Throws: a refusal of a handshake with a body, which would be taken for frames, or with more offers than the
  ///   backend's head has room for.
  func webSocketOffer(
    _ head: Span<UInt8>, _ request: RequestHead, _ exchange: Handle
  ) throws(Refusal) -> WebSocketOffer? {
    guard request.upgrade == .websocket, request.method == .get else { return nil }
    guard exchanges[exchange].requestBody.isComplete else { throw .badRequest("A WebSocket handshake has no body.") }
    let offer = WebSocketOffer.read(head, fields.value)
    guard offer.count <= Limits.subprotocols else { throw .badRequest("The handshake offers too many subprotocols.") }
    return offer
  }

  /// The backend agreed to the upgrade.
  func beginTunnel(_ exchange: Handle, _ head: ResponseHead, _ bytes: Span<UInt8>) {
    exchanges[exchange].phase = .relaying
    exchanges[exchange].status = head.status
    serverAnswered(head.status, exchange)
    exchanges[exchange].webSocket?.isOpen = true
    counters.webSockets.increment()
    noteFirstByte(exchange)
    exchanges[exchange].requestBody = BodyReader(.untilClose)
    exchanges[exchange].responseBody = BodyReader(.untilClose)
    exchanges[exchange].keepsConnection = false
    exchanges[exchange].upstreamKeepsAlive = false
    exchanges[exchange].retry.isReplayable = false
    give(exchanges[exchange].requestOut.take())
    var out = exchanges[exchange].responseOut.take() ?? blocks.take()
    ResponseWriter.writeUpgrade(
      bytes, fields.value, id: exchanges[exchange].id,
      answersSpeed: exchanges[exchange].webSocket?.answersSpeed ?? false, to: &out)
    exchanges[exchange].responseOut = consume out
    answerMovedOn(exchange)
  }

  /// Follows the backend's frames.
  func noteFrames(_ exchange: Handle, _ bytes: Span<UInt8>) { exchanges[exchange].webSocket?.frames.pass(bytes) }

  /// Ends a WebSocket with a close frame, at once or behind the frame that is on its way to the client.
  ///
  /// Called again, it ends one whose frame has had its time.
  func endTunnel(_ exchange: Handle, _ ending: WebSocketExchange.Ending) {
    guard let webSocket = exchanges[exchange].webSocket, webSocket.isOpen else { return }
    if webSocket.ending != nil {
      if loop.clock.milliseconds >= webSocket.endsAt { abort(exchange) }
      return
    }
    exchanges[exchange].webSocket?.ending = ending
    exchanges[exchange].webSocket?.endsAt = loop.clock.milliseconds + Limits.lastFrame
    driveResponse(exchange)
  }

  /// Passes on what is left of the frame that has begun, and puts the close frame behind it; false where nothing more
  /// should be read.
  func passLastFrame(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    if var input = upstreams[upstream].input.take() {
      let rest = exchanges[exchange].webSocket?.frames.rest(in: input.bytes) ?? 0
      let isPassed = sendThrough(exchange, &input, upTo: rest)
      let kept = keep(input)
      if upstreams.contains(upstream) { upstreams[upstream].input = kept } else { give(kept) }
      guard isPassed else { return false }
    }
    guard flushResponse(exchange) else { return false }
    guard let webSocket = exchanges[exchange].webSocket, let ending = webSocket.ending,
      webSocket.frames.isBetweenFrames
    else { return exchanges.contains(exchange) }
    var out = blocks.take()
    out.append(ending.frame)
    exchanges[exchange].responseOut = consume out
    close(upstream: upstream)
    exchanges[exchange].upstream = .none
    exchanges[exchange].responseIsWritten = true
    if flushResponse(exchange) { finish(exchange) }
    return false
  }
}
