import GatewayBase
import GatewayHTTP
import GatewayIO

// The answer's way to the client: the head at once, then the body as it arrives, no faster than the client takes it.
extension Worker {
  /// Bytes passed on in one go before the other connections get their turn.
  private static var stint: Int { 1 << 20 }
  /// Bytes of a body that are copied rather than sent from where they are.
  private static var copied: Int { 8 * 1024 }
  /// Bytes that framing adds to a run of the body at most.
  private static var chunkOverhead: Int { 32 }

  /// Reads from the backend and passes on, until one side has to wait or the exchange is over.
  func driveResponse(_ exchange: Handle) {
    var passed = 0
    while exchanges.contains(exchange) {
      let upstream = exchanges[exchange].upstream
      guard !upstream.isNone, upstreams[upstream].phase == .busy else { return }
      switch exchanges[exchange].phase {
      case .relaying: guard passResponse(exchange) else { return }
      case .forwarding: guard readResponseHead(exchange) else { continue }
      case .judging, .collecting, .serving, .answering: return
      }
      guard passed < Self.stint else { return continueLater(exchange) }
      guard let count = receive(exchange) else { return }
      passed += count
    }
  }

  private func continueLater(_ exchange: Handle) {
    mailbox.post { worker in
      guard worker.exchanges.contains(exchange) else { return }
      let client = worker.exchanges[exchange].client
      worker.driveResponse(exchange)
      worker.driveClient(client)
    }
  }

  /// Reads once; nil where there is nothing now, or the exchange is over.
  private func receive(_ exchange: Handle) -> Int? {
    let upstream = exchanges[exchange].upstream
    guard upstreams[upstream].mayRead else {
      awaitBackend(exchange)
      return nil
    }
    var block = upstreams[upstream].input.take() ?? blocks.take()
    if block.room == 0 { block.compact() }
    let room = block.room
    guard room > 0 else {
      upstreams[upstream].input = consume block
      refuseAnswer(exchange)
      return nil
    }
    let result = Socket.receive(upstreams[upstream].descriptor, into: &block)
    upstreams[upstream].input = keep(block)
    switch result {
    case .moved(let count):
      upstreams[upstream].noteRead(count, of: room)
      exchanges[exchange].retry.sawAnswer = true
      if exchanges[exchange].phase == .relaying { answerMovedOn(exchange) }
      return count
    case .wouldBlock:
      upstreams[upstream].mayRead = false
      awaitBackend(exchange)
    case .ended, .failed:
      upstreamEnded(exchange, isClean: result == .ended)
    }
    return nil
  }

  /// Bytes of the answer have come: the next ones are due within the idle limit.
  private func answerMovedOn(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    guard let idle = exchanges[exchange].backend?.timeouts.idle else { return }
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + idle)
  }

  /// The rest of the answer is what is waited for: it is timed, also where the client was waited for meanwhile.
  private func awaitBackend(_ exchange: Handle) {
    guard exchanges[exchange].phase == .relaying,
      upstreams[exchanges[exchange].upstream].deadline.milliseconds == .max
    else { return }
    answerMovedOn(exchange)
  }

  private func upstreamEnded(_ exchange: Handle, isClean: Bool) {
    if exchanges[exchange].phase == .relaying {
      if isClean && exchanges[exchange].responseBody.connectionEnded() {
        _ = passResponse(exchange)
      } else {
        abort(exchange)
      }
    } else if exchanges[exchange].retry.sawAnswer {
      refuseAnswer(exchange)
    } else {
      upstreamDied(exchange)
    }
  }

  /// The answer's body is malformed: as long as nothing of the answer is out, it can be taken back.
  private func refuseBody(_ exchange: Handle) {
    guard !exchanges[exchange].answerHasBegun else { return abort(exchange) }
    give(exchanges[exchange].responseOut.take())
    exchanges[exchange].status = 0
    exchanges[exchange].phase = .forwarding
    refuse(exchange, .backendMalformed)
  }

  /// What the backend sent is no answer that could be passed on.
  private func refuseAnswer(_ exchange: Handle) {
    if exchanges[exchange].phase == .relaying { abort(exchange) } else { refuse(exchange, .backendMalformed) }
  }

  /// Takes in the head; true where more bytes must come, false where something changed.
  private func readResponseHead(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    guard var input = upstreams[upstream].input.take() else { return true }
    let scan = upstreams[upstream].scanner.scan(input.bytes)
    guard case .complete(let count) = scan else {
      let isHopeless = scan == .malformed || input.count > Limits.responseHead
      upstreams[upstream].input = consume input
      if isHopeless { refuseAnswer(exchange) }
      return !isHopeless
    }
    upstreams[upstream].scanner = HeadScanner()
    let isAcceptable = takeIn(exchange, input.bytes.extracting(0..<count))
    input.consume(count)
    upstreams[upstream].input = keep(input)
    if !isAcceptable { refuseAnswer(exchange) }
    return false
  }

  /// Begins to relay a final answer; interim ones are dropped, as the client got its `100` from the gateway. False
  /// for what is no answer, 101 among them: no upgrade was asked for.
  private func takeIn(_ exchange: Handle, _ bytes: Span<UInt8>) -> Bool {
    let head = ResponseParser.parse(bytes, requestMethod: exchanges[exchange].method, into: &fields.value)
    guard let head, head.status != 101 else { return false }
    if !head.isInterim { begin(exchange, head, bytes) }
    return true
  }

  private func begin(_ exchange: Handle, _ head: ResponseHead, _ bytes: Span<UInt8>) {
    let upstream = exchanges[exchange].upstream
    exchanges[exchange].phase = .relaying
    exchanges[exchange].status = head.status
    answerMovedOn(exchange)
    exchanges[exchange].upstreamKeepsAlive = head.keepAlive
    if let idle = exchanges[exchange].backend?.timeouts.idle {
      loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + idle)
    }
    if let seconds = head.keepAliveTimeout {
      upstreams[upstream].idleLimit = UpstreamPool.idleLimit(forTimeout: seconds)
    }
    exchanges[exchange].responseBody = BodyReader(head.framing)
    let lengthIsUnknown = head.framing == .chunked || head.framing == .untilClose
    exchanges[exchange].answersInChunks = lengthIsUnknown && !exchanges[exchange].isHTTP10
    if lengthIsUnknown && exchanges[exchange].isHTTP10 || !exchanges[exchange].requestBody.isComplete
      || isDraining.value
    {
      exchanges[exchange].keepsConnection = false
    }
    // An answer may come early: what is left of the request goes on, or the backend would take the next for it.
    if let request = exchanges[exchange].requestOut.take() { exchanges[exchange].requestOut = keep(request) }
    var out = exchanges[exchange].responseOut.take() ?? blocks.take()
    ResponseWriter.write(
      head, bytes, fields.value, id: exchanges[exchange].id, inChunks: exchanges[exchange].answersInChunks,
      isHTTP10: exchanges[exchange].isHTTP10, keepsConnection: exchanges[exchange].keepsConnection, to: &out)
    exchanges[exchange].responseOut = consume out
  }

  /// Passes on what has arrived; true where the backend should be read again.
  private func passResponse(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    if !exchanges[exchange].responseBody.isComplete, var input = upstreams[upstream].input.take() {
      let isPassed: Bool
      if exchanges[exchange].responseBody.isTransparent && !exchanges[exchange].answersInChunks {
        isPassed = sendThrough(exchange, &input)
      } else {
        isPassed = copyThrough(exchange, &input)
      }
      let rest = keep(input)
      // What stopped the passing may have ended the exchange, and the connection with it.
      if upstreams.contains(upstream) { upstreams[upstream].input = rest } else { give(rest) }
      guard isPassed else { return false }
    }
    if exchanges[exchange].responseBody.isComplete { return completeResponse(exchange) }
    return flushResponse(exchange) && exchanges.contains(exchange)
  }

  /// Sends the head and the body's bytes from where they are; false where the client has to be waited for.
  private func sendThrough(_ exchange: Handle, _ input: inout ByteBlock) -> Bool {
    while true {
      let share = exchanges[exchange].responseBody.share(of: input.count)
      if share == 0 { return true }
      let ahead = exchanges[exchange].responseOut?.count ?? 0
      let result = send(exchange, ahead: ahead, input.bytes.extracting(0..<share))
      guard case .moved(let count) = result else { return clientStopped(exchange, result) }
      nothingIsDue(from: exchanges[exchange].client)
      let moved = max(0, count - ahead)
      input.consume(moved)
      exchanges[exchange].responseBody.passed(moved)
      if count == ahead + share { return true }
    }
  }

  /// Sends what waits already and the body's bytes as one.
  ///
  /// A small body is copied behind its head: that costs less than the kernel's way of taking two runs.
  private func send(_ exchange: Handle, ahead: Int, _ body: Span<UInt8>) -> Transfer {
    let descriptor = clients[exchanges[exchange].client].descriptor
    guard var out = exchanges[exchange].responseOut.take() else { return Socket.send(descriptor, body) }
    if body.count <= Self.copied, body.count <= out.room {
      out.append(body)
      let result = Socket.send(descriptor, out.bytes)
      out.drop(last: body.count)
      if case .moved(let count) = result { out.consume(min(count, ahead)) }
      exchanges[exchange].responseOut = keep(out)
      return result
    }
    let result = Socket.send(descriptor, out.bytes, body)
    if case .moved(let count) = result { out.consume(min(count, ahead)) }
    exchanges[exchange].responseOut = keep(out)
    return result
  }

  /// Copies the body's bytes behind what waits already, framed anew; false where the client has to be waited for.
  private func copyThrough(_ exchange: Handle, _ input: inout ByteBlock) -> Bool {
    while !input.isEmpty, !exchanges[exchange].responseBody.isComplete {
      var out = exchanges[exchange].responseOut.take() ?? blocks.take()
      if out.room <= Self.chunkOverhead { out.compact() }
      let isWellFormed = copy(exchange, from: &input, to: &out)
      exchanges[exchange].responseOut = consume out
      guard isWellFormed else {
        refuseBody(exchange)
        return false
      }
      guard flushResponse(exchange) else { return false }
    }
    return true
  }

  private func copy(_ exchange: Handle, from input: inout ByteBlock, to out: inout ByteBlock) -> Bool {
    while !input.isEmpty, out.room > Self.chunkOverhead, !exchanges[exchange].responseBody.isComplete {
      let run = min(input.count, out.room - Self.chunkOverhead)
      let step = exchanges[exchange].responseBody.next(input.bytes.extracting(0..<run))
      switch step {
      case .data(let skip, let count):
        out.append(input.bytes.extracting(skip..<(skip + count)), asChunk: exchanges[exchange].answersInChunks)
        input.consume(skip + count)
      case .needMore(let consumed), .complete(let consumed): input.consume(consumed)
      case .malformed: return false
      }
    }
    return true
  }

  /// The body is whole: its end is written once, the backend let go, and the exchange over when all is out.
  private func completeResponse(_ exchange: Handle) -> Bool {
    if !exchanges[exchange].responseIsWritten {
      if exchanges[exchange].answersInChunks {
        var out = exchanges[exchange].responseOut.take() ?? blocks.take()
        if out.room < Self.chunkOverhead { out.compact() }
        guard out.room >= Self.chunkOverhead else {
          exchanges[exchange].responseOut = consume out
          if flushResponse(exchange) { return completeResponse(exchange) }
          return false
        }
        out.append("0\r\n\r\n")
        exchanges[exchange].responseOut = consume out
      }
      exchanges[exchange].responseIsWritten = true
      release(upstreamOf: exchange)
    }
    if flushResponse(exchange) { finish(exchange) }
    return false
  }

  /// Sends what `responseOut` holds; true when all of it is out. The exchange may be over when it is false.
  func flushResponse(_ exchange: Handle) -> Bool {
    guard var out = exchanges[exchange].responseOut.take() else { return true }
    let client = exchanges[exchange].client
    while !out.isEmpty {
      let result = Socket.send(clients[client].descriptor, out.bytes)
      guard case .moved(let count) = result else {
        exchanges[exchange].responseOut = consume out
        return clientStopped(exchange, result)
      }
      exchanges[exchange].answerHasBegun = true
      out.consume(count)
      nothingIsDue(from: client)
    }
    blocks.give(out)
    return true
  }

  /// The client takes no more for now, or has gone. Always false: the caller has nothing more to do.
  private func clientStopped(_ exchange: Handle, _ result: Transfer) -> Bool {
    guard result == .wouldBlock else {
      abort(exchange)
      return false
    }
    let client = exchanges[exchange].client
    if clients[client].deadline.milliseconds == .max {
      clients[client].queued = .max
      loop.wheel.set(
        &clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.progress)
    }
    let upstream = exchanges[exchange].upstream
    if !upstream.isNone { loop.wheel.clear(&upstreams[upstream].deadline) }
    return false
  }

  func clientIsWritable(_ exchange: Handle) {
    switch exchanges[exchange].phase {
    case .relaying:
      guard isBlocked(exchange) else { return }
      if exchanges[exchange].responseIsWritten {
        if flushResponse(exchange) { finish(exchange) }
      } else {
        driveResponse(exchange)
      }
    case .answering: continueAnswer(exchange)
    case .judging, .collecting, .serving, .forwarding:
      if exchanges[exchange].responseOut != nil { _ = flushResponse(exchange) }
    }
  }

  /// Whether bytes of an answer wait for the client to take them.
  func isBlocked(_ exchange: Handle) -> Bool {
    exchanges[exchange].responseOut != nil
      || exchanges[exchange].phase == .relaying && hasInput(exchanges[exchange].upstream)
  }

  private func hasInput(_ upstream: Handle) -> Bool { !upstream.isNone && upstreams[upstream].input != nil }
}
