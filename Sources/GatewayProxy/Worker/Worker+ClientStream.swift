import GatewayBase
import GatewayHTTP
import GatewayIO

// The client side over HTTP/2: streams that look like connections with one request.
extension Worker {
  /// A TLS client chose HTTP/2: the wire moves from the record of a connection to that of many streams.
  func becomeHTTP2(_ client: Handle) {
    let link = HTTP2ClientLink(self, clients[client])
    link.begin(.ingress(HTTP2Limits(maxHeader: snapshot.value.maxHeader)))
    let wire = clients[client].wire.handOver()
    clients.remove(client)
    let handle = insert(http2: wire, link)
    loop.wheel.set(&http2[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.head)
    if isDraining.value { link.machine.beginGoAway() }
    readFrames(handle)
  }

  func streamBegan(_ link: HTTP2ClientLink, _ stream: HTTP2StreamID, _ head: Span<UInt8>, hasEnded: Bool) {
    let client = insertStream(link, stream, head, hasEnded: hasEnded)
    beginExchange(client, headCount: head.count, refusing: nil)
    driveClient(client)
  }

  func streamWasRefused(
    _ link: HTTP2ClientLink, _ stream: HTTP2StreamID, _ refusal: Refusal, _ head: Span<UInt8>
  ) {
    let client = insertStream(link, stream, head, hasEnded: true)
    beginExchange(client, headCount: 0, refusing: refusal)
  }

  private func insertStream(
    _ link: HTTP2ClientLink, _ stream: HTTP2StreamID, _ head: Span<UInt8>, hasEnded: Bool
  ) -> Handle {
    let client = clients.insert(
      ClientConnection(
        stream: HTTP2Stream(connection: link.connection, id: stream, hasBody: !hasEnded, peerEnded: hasEnded),
        peer: link.peer,
        listener: link.listener, isTrusted: link.isTrusted))
    link.machine.setTag(stream, client.raw)
    counters.http2Streams.increment()
    var input = blocks.take()
    // Of a head that is refused there may be more than a block holds.
    input.append(head.extracting(first: input.room))
    clients[client].input = consume input
    return client
  }

  func clientStreamReceived(_ client: Handle, _ bytes: Span<UInt8>) {
    guard clients.contains(client), clients[client].phase == .exchanging else { return }
    clients[client].stream?.uncredited += bytes.count
    // While the head is being judged it stays in front of the input; the window is as large as a block.
    let isJudged = exchanges[clients[client].exchange].headCount == 0
    var block = (isJudged ? clients[client].input.take() : clients[client].late.take()) ?? blocks.take()
    if block.room < bytes.count { block.compact() }
    let hasRoom = block.room >= bytes.count
    if hasRoom { block.append(bytes) }
    if isJudged { clients[client].input = consume block } else { clients[client].late = consume block }
    guard hasRoom else { return abort(clients[client].exchange) }
    if isJudged { driveClient(client) }
  }

  func clientStreamEnded(_ client: Handle) {
    guard clients.contains(client), clients[client].phase == .exchanging else { return }
    clients[client].stream?.peerEnded = true
    driveClient(client)
  }

  /// Opens the window by what has left the input.
  func creditWindow(_ client: Handle) {
    guard clients.contains(client), clients[client].stream != nil, clients[client].phase == .exchanging,
      exchanges[clients[client].exchange].headCount == 0
    else { return }
    let held = (clients[client].input?.count ?? 0) + (clients[client].late?.count ?? 0)
    credit(&clients[client].stream, holding: held)
  }

  func clientStreamClosed(_ client: Handle) {
    guard clients.contains(client) else { return }
    clients[client].stream?.isClosed = true
    if clients[client].phase == .exchanging { abort(clients[client].exchange) } else { close(client: client) }
  }

  /// Puts bytes of an answer's body into the stream's output; the turn's end takes them from there.
  func send(onStream client: Handle, _ bytes: Span<UInt8>) -> Transfer {
    send(bytes, on: &clients[client].stream, &clients[client].output)
  }

  /// Submits the head of a relayed answer, if it is not out yet. What has no body ends with it.
  func submitStreamHead(_ exchange: Handle) {
    guard var head = exchanges[exchange].streamHead.take() else { return }
    let isAll = exchanges[exchange].responseBody.isComplete && exchanges[exchange].responseOut == nil
    let client = exchanges[exchange].client
    submit(head: &head, onStream: client, endsStream: isAll && clients[client].trailers.isEmpty)
    exchanges[exchange].answerHasBegun = true
    blocks.give(head)
  }

  /// Submits a head; the block is empty afterwards.
  func submit(head block: inout ByteBlock, onStream client: Handle, endsStream: Bool) {
    guard let stream = clients[client].stream, !stream.isClosed, http2.contains(stream.connection) else {
      return block.clear()
    }
    http2[stream.connection].link.machine.submitResponse(stream.id, head: block.bytes, endsStream: endsStream)
    block.clear()
    list(stream.connection)
  }

  /// The answer is complete: the stream ends behind what its output holds, and has its time for that.
  func finishStream(_ client: Handle) {
    guard let stream = clients[client].stream else { return }
    clients[client].stream?.ends = true
    clients[client].phase = .lingering
    give(clients[client].input.take())
    give(clients[client].late.take())
    guard !stream.isClosed, http2.contains(stream.connection) else { return close(client: client) }
    loop.wheel.set(&clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.progress)
    http2[stream.connection].link.machine.resume(stream.id)
    list(stream.connection)
  }

  /// Resets a stream that can't come to its end.
  func resetStream(_ client: Handle) {
    reset(clients[client].stream, .internalError)
  }

  func fillClientStream(_ client: Handle, _ sink: inout HTTP2Sink) -> HTTP2Fill {
    guard clients.contains(client) else { return .end }
    guard drain(&clients[client].output, into: &sink) else { return .more }
    if let stream = clients[client].stream, stream.ends {
      let trailers = clients[client].trailers
      if trailers.isEmpty { return .end }
      http2[stream.connection].link.machine.submitTrailers(stream.id, fields: trailers.span)
      return .endWithTrailers
    }
    noteRoom(&clients[client].stream, of: client)
    return .more
  }
}
