import GatewayBase
import GatewayHTTP
import GatewayIO

// The backend's side over HTTP/2: streams that look like connections with one request.
extension Worker {
  /// A connection to a server of HTTP/2 stands: its wire moves from the record of a connection to that of many
  /// streams, the first of which is the request's that it was made for.
  func becomeHTTP2(upstream handle: Handle) {
    let exchange = upstreams[handle].exchange
    guard let server = exchanges[exchange].backend?.servers[exchanges[exchange].attempt.server] else {
      return abort(exchange)
    }
    let link = HTTP2UpstreamLink(self, server)
    link.begin(.egress(HTTP2Limits(maxHeader: Limits.responseHead)))
    let wire = upstreams[handle].wire.handOver()
    let moveCount = upstreams[handle].moveCount
    exchanges[exchange].upstream = .none
    upstreams.remove(handle)
    let connection = insert(http2: wire, link)
    http2[connection].moveCount = moveCount
    http2Pools.value[ObjectIdentifier(server), default: []].append(connection)
    endAttempt(exchange, passingOver: false)
    if !submitRequest(exchange, to: server.place, on: connection) { refuse(exchange, .backendUnavailable) }
    if http2.contains(connection) { readFrames(connection) }
  }

  /// Opens a stream for the request; false where the connection takes none now.
  func submitRequest(_ exchange: Handle, to place: UpstreamPlace, on connection: Handle) -> Bool {
    let machine = http2[connection].link.machine
    guard machine.peerAllows > 0, let timeouts = exchanges[exchange].backend?.timeouts,
      var out = exchanges[exchange].requestOut.take()
    else { return false }
    let headCount = exchanges[exchange].requestHeadCount
    let endsStream = exchanges[exchange].requestBody.isComplete && out.count == headCount
    let upstream = upstreams.insert(
      UpstreamConnection(stream: .unopened(on: connection), to: place, exchange: exchange))
    let id = machine.submitRequest(
      head: out.bytes.extracting(0..<headCount), scheme: place.tls == nil ? .http : .https,
      sendsTrailers: clients[exchanges[exchange].client].stream != nil, endsStream: endsStream, tag: upstream.raw)
    guard let id else {
      exchanges[exchange].requestOut = consume out
      upstreams.remove(upstream)
      return false
    }
    upstreams[upstream].stream = HTTP2Stream(connection: connection, id: id, hasBody: !endsStream, ends: endsStream)
    // Kept while it may have to be sent again.
    if exchanges[exchange].retry.isReplayable { out.consumeKeeping(headCount) } else { out.consume(headCount) }
    exchanges[exchange].retry.sentBytes = UInt64(headCount)
    exchanges[exchange].requestOut = consume out
    exchanges[exchange].upstream = upstream
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + timeouts.response)
    list(connection)
    send(exchange)
    return true
  }

  /// All of the request is out: its stream ends behind what waits.
  func endRequest(_ upstream: Handle) {
    guard let stream = upstreams[upstream].stream, !stream.ends else { return }
    upstreams[upstream].stream?.ends = true
    guard !stream.isClosed, http2.contains(stream.connection) else { return }
    http2[stream.connection].link.machine.resume(stream.id)
    list(stream.connection)
  }

  func send(toUpstream upstream: Handle, _ bytes: Span<UInt8>) -> Transfer {
    if upstreams[upstream].stream == nil { return upstreams[upstream].wire.send(bytes) }
    return send(bytes, on: &upstreams[upstream].stream, &upstreams[upstream].output)
  }

  func fillUpstreamStream(_ upstream: Handle, _ sink: inout HTTP2Sink) -> HTTP2Fill {
    guard upstreams.contains(upstream) else { return .end }
    guard drain(&upstreams[upstream].output, into: &sink) else { return .more }
    if upstreams[upstream].stream?.ends ?? true { return .end }
    noteRoom(&upstreams[upstream].stream, of: upstream)
    return .more
  }

  func upstreamStreamReceived(_ upstream: Handle, _ bytes: Span<UInt8>, isBody: Bool) {
    guard upstreams.contains(upstream) else { return }
    if upstreams[upstream].phase == .finishing {
      if isBody { upstreams[upstream].stream?.uncredited += bytes.count }
      if noteDropped(bytes.count, upstream) { creditWindow(upstream: upstream) }
      return
    }
    guard upstreams[upstream].phase == .busy else { return }
    let exchange = upstreams[upstream].exchange
    let client = exchanges[exchange].client
    if isBody { upstreams[upstream].stream?.uncredited += bytes.count }
    var input = upstreams[upstream].input.take() ?? blocks.take()
    if input.room < bytes.count { input.compact() }
    // The window is no larger than a block, so this is a backend that sends past it.
    guard input.room >= bytes.count else {
      upstreams[upstream].input = consume input
      upstreamEnded(exchange, isClean: false)
      return driveClient(client)
    }
    input.append(bytes)
    upstreams[upstream].input = consume input
    exchanges[exchange].retry.sawAnswer = true
    if exchanges[exchange].phase == .relaying { answerMovedOn(exchange) }
    driveResponse(exchange)
    driveClient(client)
  }

  func upstreamStreamEnded(_ upstream: Handle) {
    guard upstreams.contains(upstream) else { return }
    upstreams[upstream].stream?.peerEnded = true
    guard upstreams[upstream].phase == .busy else { return }
    let exchange = upstreams[upstream].exchange
    let client = exchanges[exchange].client
    driveResponse(exchange)
    driveClient(client)
  }

  func upstreamStreamClosed(_ upstream: Handle, _ error: HTTP2ErrorCode) {
    guard upstreams.contains(upstream) else { return }
    upstreams[upstream].stream?.isClosed = true
    guard upstreams[upstream].phase == .busy else { return close(upstream: upstream) }
    // What came before the end is still to be passed on.
    if upstreams[upstream].stream?.peerEnded ?? false { return }
    let exchange = upstreams[upstream].exchange
    let client = exchanges[exchange].client
    if error == .refusedStream { exchanges[exchange].retry.wasRefused = true }
    upstreamEnded(exchange, isClean: false)
    driveClient(client)
  }

  /// Keeps a trailer section for the client, where it can be told (RFC 9113 section 8.1): gRPC ends with one.
  func upstreamTrailersCame(_ upstream: Handle, _ section: Span<UInt8>) {
    guard upstreams.contains(upstream), upstreams[upstream].phase == .busy else { return }
    let client = exchanges[upstreams[upstream].exchange].client
    guard clients[client].stream != nil else { return }
    clients[client].trailers = ResponseWriter.trailers(section, &fields.value)
  }

  /// Opens the window by what has left the input.
  func creditWindow(upstream: Handle) {
    guard upstreams.contains(upstream), upstreams[upstream].stream != nil else { return }
    credit(&upstreams[upstream].stream, holding: upstreams[upstream].input?.count ?? 0)
  }

  /// The answer is complete: the stream goes when it has ended on both sides.
  func releaseStream(_ upstream: Handle, requestIsOut: Bool) {
    guard let stream = upstreams[upstream].stream, requestIsOut, !stream.isClosed else {
      return close(upstream: upstream)
    }
    upstreams[upstream].phase = .idle
    upstreams[upstream].exchange = .none
    give(upstreams[upstream].input.take())
    loop.wheel.set(
      &upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + UpstreamPool.idleLimit)
  }

  /// Resets a stream that nobody waits for any more.
  func resetStream(upstream: Handle) {
    give(upstreams[upstream].output.take())
    reset(upstreams[upstream].stream, .cancel)
  }
}

/// The link of a connection to a backend.
final class HTTP2UpstreamLink: HTTP2Link {
  let server: UpstreamServer

  init(_ worker: Worker, _ server: UpstreamServer) {
    self.server = server
    super.init(worker)
  }

  override func responseHeadCame(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    worker.upstreamStreamReceived(handle(of: stream), head, isBody: false)
    if endsStream { worker.upstreamStreamEnded(handle(of: stream)) }
  }

  override func dataCame(_ stream: HTTP2StreamID, _ bytes: Span<UInt8>) {
    worker.upstreamStreamReceived(handle(of: stream), bytes, isBody: true)
  }

  override func trailersCame(_ stream: HTTP2StreamID, fields: Span<UInt8>) {
    worker.upstreamTrailersCame(handle(of: stream), fields)
  }

  override func streamEnded(_ stream: HTTP2StreamID) { worker.upstreamStreamEnded(handle(of: stream)) }

  override func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode) {
    worker.upstreamStreamClosed(handle(of: stream), error)
  }

  override func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill {
    worker.fillUpstreamStream(handle(of: stream), &out)
  }
}
