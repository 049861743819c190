import GatewayBase
import GatewayHTTP
import GatewayIO

// The request's way to the backend: the head, then the body as it arrives, no faster than the backend takes it.
extension Worker {
  /// Sends what is ready, and moves on to the body. The exchange may be over afterwards.
  func send(_ exchange: Handle) {
    guard flushRequest(exchange), exchanges[exchange].status == 0 else { return }
    if exchanges[exchange].mustSendContinue { sendContinue(exchange) }
  }

  /// Sends what `requestOut` holds; true when all of it is out.
  private func flushRequest(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    guard var out = exchanges[exchange].requestOut.take() else { return true }
    while !out.isEmpty {
      switch send(toUpstream: upstream, out.bytes) {
      case .moved(let count):
        noteSent(count, exchange)
        // Kept while it may have to be sent again.
        if exchanges[exchange].retry.isReplayable { out.consumeKeeping(count) } else { out.consume(count) }
      case .wouldBlock:
        exchanges[exchange].requestOut = consume out
        awaitRoom(exchange)
        return false
      case .ended, .failed:
        exchanges[exchange].requestOut = consume out
        requestCannotBeSent(exchange)
        return false
      }
    }
    exchanges[exchange].requestOut = consume out
    if exchanges[exchange].requestBody.isComplete { endRequest(upstream) }
    return true
  }

  func noteSent(_ count: Int, _ exchange: Handle) {
    exchanges[exchange].retry.sentBytes += UInt64(count)
    let upstream = exchanges[exchange].upstream
    guard let timeouts = exchanges[exchange].backend?.timeouts, exchanges[exchange].phase == .forwarding else { return }
    let wait = exchanges[exchange].requestBody.isComplete ? timeouts.response : timeouts.idle
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + wait)
  }

  /// The backend takes no more for now: it is timed from the last byte that it took.
  func awaitRoom(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    guard let idle = exchanges[exchange].backend?.timeouts.idle, upstreams[upstream].deadline.milliseconds == .max
    else { return }
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + idle)
  }

  /// A write failed: the backend may have answered and closed, so what it said is read before giving up.
  func requestCannotBeSent(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    if exchanges[exchange].retry.sentBytes == 0, upstreams[upstream].isReused { return upstreamDied(exchange) }
    if !exchanges[exchange].requestBody.isComplete {
      exchanges[exchange].requestBody = BodyReader(.none)
      exchanges[exchange].keepsConnection = false
      exchanges[exchange].sendsChunks = false
    }
    exchanges[exchange].upstreamKeepsAlive = false
    if exchanges[exchange].phase == .relaying { give(exchanges[exchange].requestOut.take()) }
    upstreams[upstream].incoming.mayRead = true
    upstreams[upstream].incoming.peerEnded = true
    driveResponse(exchange)
  }

  func sendContinue(_ exchange: Handle) {
    exchanges[exchange].mustSendContinue = false
    guard !exchanges[exchange].requestBody.isComplete else { return }
    let interim: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
    var out = exchanges[exchange].responseOut.take() ?? blocks.take()
    out.append(interim)
    if clients[exchanges[exchange].client].stream != nil {
      submit(head: &out, onStream: exchanges[exchange].client, endsStream: false)
      return blocks.give(out)
    }
    exchanges[exchange].responseOut = consume out
    _ = flushResponse(exchange)
  }

  /// Moves the request's body on; false where nothing can be done now.
  func driveRequestBody(_ client: Handle) -> Bool {
    let exchange = clients[client].exchange
    switch exchanges[exchange].phase {
    case .collecting: return collectBody(exchange)
    case .forwarding, .relaying: break
    case .judging, .serving, .answering: return false
    }
    let upstream = exchanges[exchange].upstream
    guard !exchanges[exchange].requestBody.isComplete, !upstream.isNone, upstreams[upstream].phase == .busy,
      flushRequest(exchange), exchanges.contains(exchange), !exchanges[exchange].requestBody.isComplete
    else { return false }
    guard drainRequestPipe(exchange) else { return false }
    if splicesRequest(exchange) { return spliceBody(exchange) }
    guard receiveBody(client) else { return false }
    return moveBody(exchange)
  }

  /// Sees to it that the client's input holds bytes; false where there are none now, or the client has gone.
  func receiveBody(_ client: Handle) -> Bool {
    if clients[client].input != nil { return true }
    if let stream = clients[client].stream {
      if stream.peerEnded { bodyEnded(clients[client].exchange) } else { awaitBody(client) }
      return false
    }
    guard clients[client].incoming.mayRead else {
      awaitBody(client)
      return false
    }
    var block = blocks.take()
    let room = block.room
    switch clients[client].wire.receive(into: &block) {
    case .moved(let count):
      clients[client].incoming.noteRead(count, of: room, from: clients[client].wire)
      clients[client].input = consume block
      return true
    case .wouldBlock:
      clients[client].incoming.mayRead = false
      blocks.give(block)
      awaitBody(client)
    case .ended, .failed:
      blocks.give(block)
      abort(clients[client].exchange)
    }
    return false
  }

  /// The stream of a request ended behind its body, whose length nothing else tells.
  private func bodyEnded(_ exchange: Handle) {
    guard exchanges[exchange].requestBody.connectionEnded() else { return abort(exchange) }
    if exchanges[exchange].phase == .collecting { return serve(exchange) }
    requestMovedOn(exchange)
    if exchanges[exchange].sendsChunks {
      var out = exchanges[exchange].requestOut.take() ?? blocks.take()
      out.append("0\r\n\r\n")
      exchanges[exchange].requestOut = consume out
    }
    _ = flushRequest(exchange)
  }

  /// The client is to send: its progress is timed, the backend's is not. In a tunnel either may be silent.
  func awaitBody(_ client: Handle) {
    if exchanges[clients[client].exchange].isTunnel { return }
    loop.wheel.set(&clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.progress)
    let upstream = exchanges[clients[client].exchange].upstream
    if !upstream.isNone { loop.wheel.clear(&upstreams[upstream].deadline) }
  }

  /// Passes a run of the body from the client's input to the backend; false where it has to wait.
  private func moveBody(_ exchange: Handle) -> Bool {
    let client = exchanges[exchange].client
    guard var input = clients[client].input.take() else { return false }
    give(exchanges[exchange].requestOut.take())
    if !passesAsItIs(exchange) {
      var out = blocks.take()
      let refusal = copyBody(exchange, from: &input, to: &out)
      clients[client].input = keep(input)
      exchanges[exchange].requestOut = consume out
      if let refusal {
        refuse(exchange, refusal)
        return false
      }
      requestMovedOn(exchange)
      return flushRequest(exchange)
    }
    let share = exchanges[exchange].requestBody.share(of: input.count)
    let result = send(toUpstream: exchanges[exchange].upstream, input.bytes.extracting(0..<share))
    switch result {
    case .moved(let count):
      input.consume(count)
      exchanges[exchange].requestBody.passed(count)
      exchanges[exchange].bytesIn &+= UInt64(count)
      clients[client].input = keep(input)
      requestMovedOn(exchange)
      noteSent(count, exchange)
      if exchanges[exchange].requestBody.isComplete { endRequest(exchanges[exchange].upstream) }
      return true
    case .wouldBlock:
      clients[client].input = keep(input)
      loop.wheel.clear(&clients[client].deadline)
      awaitRoom(exchange)
    case .ended, .failed:
      clients[client].input = keep(input)
      requestCannotBeSent(exchange)
    }
    return false
  }

  /// Whether the body's bytes may be sent from where they are: neither framed nor counted on their way.
  private func passesAsItIs(_ exchange: Handle) -> Bool {
    guard exchanges[exchange].requestBody.isTransparent, !exchanges[exchange].sendsChunks else { return false }
    return exchanges[exchange].isTunnel || !exchanges[exchange].requestBody.endsWithConnection
  }

  /// Bytes of the body have come: while the backend gets them, nobody waits for the client.
  func requestMovedOn(_ exchange: Handle) {
    let client = exchanges[exchange].client
    if exchanges[exchange].isTunnel { return answerMovedOn(exchange) }
    if exchanges[exchange].requestBody.isComplete {
      nothingIsDue(from: client)
    } else {
      loop.wheel.clear(&clients[client].deadline)
    }
  }

  /// Copies what has arrived of the body, framed anew where it is chunked.
  ///
  /// - Returns: a refusal where the framing is malformed or the body over its limit.
  func copyBody(_ exchange: Handle, from source: inout ByteBlock, to out: inout ByteBlock) -> Refusal? {
    while !exchanges[exchange].requestBody.isComplete, !source.isEmpty, out.room > ByteBlock.chunkOverhead {
      let run = min(source.count, out.room - ByteBlock.chunkOverhead)
      let step = exchanges[exchange].requestBody.next(source.bytes.extracting(0..<run))
      switch step {
      case .data(let skip, let count):
        guard UInt64(count) <= exchanges[exchange].bodyAllowance else { return .bodyTooLarge }
        exchanges[exchange].bodyAllowance -= UInt64(count)
        exchanges[exchange].bytesIn &+= UInt64(count)
        out.append(source.bytes.extracting(skip..<(skip + count)), asChunk: exchanges[exchange].sendsChunks)
        source.consume(skip + count)
      case .needMore(let consumed):
        source.consume(consumed)
      case .complete(let consumed):
        source.consume(consumed)
        if exchanges[exchange].sendsChunks { out.append("0\r\n\r\n") }
      case .malformed:
        return .badRequest("The chunked body is malformed.")
      }
    }
    return nil
  }
}

extension ByteBlock {
  /// Bytes that framing adds to a run of a body at most: the size line, the line end, the last chunk.
  static var chunkOverhead: Int { 32 }

  /// Appends a run of a body, as one chunk (RFC 9112 section 7.1) or as it is.
  mutating func append(_ data: Span<UInt8>, asChunk isChunk: Bool) {
    guard isChunk else { return append(data) }
    append(hex: UInt64(data.count))
    append("\r\n")
    append(data)
    append("\r\n")
  }
}
