import GatewayBase
import GatewayHTTP
import GatewayIO

// The answer's way to the client: the head at once, then the body as it arrives, no faster than the client takes it.
extension Worker {
  /// Bytes passed on in one go before the other connections get their turn.
  private static var stint: Int { 1 << 20 }

  /// Reads from the backend and passes on, until one side has to wait or the exchange is over.
  func driveResponse(_ exchange: Handle) {
    var passed = 0
    defer { if exchanges.contains(exchange) { creditWindow(upstream: exchanges[exchange].upstream) } }
    while exchanges.contains(exchange) {
      let upstream = exchanges[exchange].upstream
      guard !upstream.isNone, upstreams[upstream].phase == .busy else { return }
      switch exchanges[exchange].phase {
      case .relaying: guard passResponse(exchange) else { return }
      case .forwarding: guard readResponseHead(exchange) else { continue }
      case .judging, .collecting, .serving, .answering: return
      }
      guard passed < Self.stint else { return continueLater(exchange) }
      guard let count = splicesResponse(exchange) ? splice(exchange) : receive(exchange) else { return }
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
    if let stream = upstreams[upstream].stream {
      // What comes on a stream is put into its input by the connection.
      if stream.peerEnded { upstreamEnded(exchange, isClean: true) } else { awaitBackend(exchange) }
      return nil
    }
    guard upstreams[upstream].incoming.mayRead else {
      awaitBackend(exchange)
      return nil
    }
    var block = upstreams[upstream].input.take() ?? blocks.take()
    if block.room == 0 { block.compact() }
    let room = roomToRead(exchange, block.room)
    guard room > 0 else {
      upstreams[upstream].input = consume block
      refuseAnswer(exchange)
      return nil
    }
    let result =
      room < block.room
      ? Socket.receive(upstreams[upstream].wire.descriptor, into: &block, limit: room)
      : upstreams[upstream].wire.receive(into: &block)
    upstreams[upstream].input = keep(block)
    switch result {
    case .moved(let count):
      upstreams[upstream].incoming.noteRead(count, of: room, from: upstreams[upstream].wire)
      exchanges[exchange].retry.sawAnswer = true
      if exchanges[exchange].phase == .relaying { answerMovedOn(exchange) }
      return count
    case .wouldBlock:
      upstreams[upstream].incoming.mayRead = false
      awaitBackend(exchange)
    case .ended, .failed:
      upstreamEnded(exchange, isClean: result == .ended)
    }
    return nil
  }

  /// Bytes of the answer have come: the next ones are due within the idle limit.
  func answerMovedOn(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    guard let idle = exchanges[exchange].backend?.timeouts.idle else { return }
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + idle)
  }

  /// The rest of the answer is what is waited for: it is timed, also where the client was waited for meanwhile.
  func awaitBackend(_ exchange: Handle) {
    guard exchanges[exchange].phase == .relaying,
      upstreams[exchanges[exchange].upstream].deadline.milliseconds == .max
    else { return }
    answerMovedOn(exchange)
  }

  func upstreamEnded(_ exchange: Handle, isClean: Bool) {
    if exchanges[exchange].phase == .relaying {
      if isClean && exchanges[exchange].responseBody.connectionEnded() {
        _ = passResponse(exchange)
      } else {
        // Where the client has gone the exchange is over before, and how WebSockets end says nothing.
        if !exchanges[exchange].isTunnel { serverFailed(.brokenOff, exchange) }
        abort(exchange)
      }
    } else if exchanges[exchange].retry.sawAnswer {
      refuseAnswer(exchange)
    } else {
      upstreamDied(exchange)
    }
  }

  /// The answer's body is malformed: as long as nothing of the answer is out, it can be taken back.
  func refuseBody(_ exchange: Handle) {
    serverFailed(.brokenOff, exchange)
    guard !exchanges[exchange].answerHasBegun else { return abort(exchange) }
    give(exchanges[exchange].responseOut.take())
    give(exchanges[exchange].streamHead.take())
    exchanges[exchange].status = 0
    exchanges[exchange].phase = .forwarding
    refuse(exchange, .backendMalformed)
  }

  /// What the backend sent is no answer that could be passed on.
  private func refuseAnswer(_ exchange: Handle) {
    if exchanges[exchange].phase == .relaying { return abort(exchange) }
    serverFailed(.unserved, exchange)
    refuse(exchange, .backendMalformed)
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
  /// for what is no answer: 101 is one only where a WebSocket was asked for and is agreed to.
  private func takeIn(_ exchange: Handle, _ bytes: Span<UInt8>) -> Bool {
    let head = ResponseParser.parse(bytes, requestMethod: exchanges[exchange].method, into: &fields.value)
    guard let head else { return false }
    if head.status == 101 {
      guard head.upgrade == .websocket, exchanges[exchange].webSocket != nil else { return false }
      beginTunnel(exchange, head, bytes)
    } else if !head.isInterim {
      exchanges[exchange].webSocket = nil
      begin(exchange, head, bytes)
    }
    return true
  }

  func noteFirstByte(_ exchange: Handle) {
    let elapsed = loop.clock.microseconds &- exchanges[exchange].attemptAt
    exchanges[exchange].firstByteAfter = max(1, elapsed)
    if let label = exchanges[exchange].label { counters.apps.add(microseconds: elapsed, .firstByte, label) }
  }

  private func begin(_ exchange: Handle, _ head: ResponseHead, _ bytes: Span<UInt8>) {
    let upstream = exchanges[exchange].upstream
    exchanges[exchange].phase = .relaying
    exchanges[exchange].status = head.status
    noteFirstByte(exchange)
    serverAnswered(head.status, exchange)
    answerMovedOn(exchange)
    exchanges[exchange].upstreamKeepsAlive = head.keepAlive
    if let seconds = head.keepAliveTimeout {
      upstreams[upstream].idleLimit = UpstreamPool.idleLimit(forTimeout: seconds)
    }
    exchanges[exchange].responseBody = BodyReader(head.framing)
    let lengthIsUnknown = head.framing.isOpenEnded
    let client = exchanges[exchange].client
    exchanges[exchange].answersInChunks =
      lengthIsUnknown && !exchanges[exchange].isHTTP10 && clients[client].stream == nil
    if lengthIsUnknown && exchanges[exchange].isHTTP10 || !exchanges[exchange].requestBody.isComplete
      || isDraining.value
    {
      exchanges[exchange].keepsConnection = false
    }
    decideOnSplicing(exchange)
    // An answer may come early: what is left of the request goes on, or the backend would take the next for it.
    if let request = exchanges[exchange].requestOut.take() { exchanges[exchange].requestOut = keep(request) }
    var out = exchanges[exchange].responseOut.take() ?? blocks.take()
    ResponseWriter.write(
      head, bytes, fields.value, id: exchanges[exchange].id, inChunks: exchanges[exchange].answersInChunks,
      isHTTP10: exchanges[exchange].isHTTP10, keepsConnection: exchanges[exchange].keepsConnection,
      cors: exchanges[exchange].cors, to: &out)
    writeEdgeFields(exchange, to: &out)
    ResponseWriter.end(&out)
    if clients[client].stream != nil {
      exchanges[exchange].streamHead = consume out
      return
    }
    exchanges[exchange].responseOut = consume out
  }
}
