import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTLS

// From the judged request to a connection that carries it: pool, look-up, connect, the next server, the retry.
extension Worker {
  func forward(_ exchange: Handle) {
    guard let backend = exchanges[exchange].backend else { return abort(exchange) }
    exchanges[exchange].phase = .forwarding
    exchanges[exchange].retry.retriesLeft = backend.retries
    if let refusal = takeServer(exchange, of: backend) ?? addReceivedBody(exchange) { return refuse(exchange, refusal) }
    // What is sent of the rest of the body is not kept.
    exchanges[exchange].retry.isReplayable = exchanges[exchange].requestBody.isComplete
    exchanges[exchange].splicesRequest = !exchanges[exchange].sendsChunks
    reachServer(exchange, of: backend)
  }

  /// Sends on a connection to the server that was chosen and has room, or connects to it.
  func reachServer(_ exchange: Handle, of backend: Backend) {
    if !sendOnStanding(exchange, of: backend) { connect(exchange) }
  }

  private func sendOnStanding(_ exchange: Handle, of backend: Backend) -> Bool {
    let server = backend.servers[exchanges[exchange].attempt.server]
    if server.place.speaksHTTP2 { return openStream(exchange, to: server) }
    // What is sent again must not meet another connection that may be about to end.
    guard exchanges[exchange].retry.retriesLeft == backend.retries, let pooled = takeIdle(of: server.place) else {
      return false
    }
    attach(pooled, to: exchange, timeouts: backend.timeouts)
    send(exchange)
    return true
  }

  /// Puts what has arrived of the body and the head together, so that a small request leaves in one piece.
  private func addReceivedBody(_ exchange: Handle) -> Refusal? {
    let client = exchanges[exchange].client
    guard !exchanges[exchange].requestBody.isComplete, var input = clients[client].input.take() else { return nil }
    var out = exchanges[exchange].requestOut.take() ?? blocks.take()
    let count = input.count
    if isWholeBody(exchange, count), input.prepend(out.bytes) {
      blocks.give(out)
      exchanges[exchange].requestOut = consume input
      exchanges[exchange].requestBody.passed(count)
      exchanges[exchange].bytesIn &+= UInt64(count)
      return nil
    }
    let refusal = copyBody(exchange, from: &input, to: &out)
    clients[client].input = keep(input)
    exchanges[exchange].requestOut = consume out
    return refusal
  }

  /// Whether so many bytes are the body to its end, and go on as they are. Its length was judged with the head.
  private func isWholeBody(_ exchange: Handle, _ count: Int) -> Bool {
    exchanges[exchange].requestBody.remaining == UInt64(count) && !exchanges[exchange].sendsChunks
  }

  func takeIdle(of place: UpstreamPlace) -> Handle? {
    guard place.poolIndex < pools.value.count else { return nil }
    while let handle = pools.value[place.poolIndex].take() {
      guard upstreams.contains(handle) else { continue }
      guard isCurrent(handle) else {
        close(upstream: handle)
        continue
      }
      if place.isLookUpDue(now: loop.clock.milliseconds) { lookUp(place) }
      return handle
    }
    return nil
  }

  private func attach(_ upstream: Handle, to exchange: Handle, timeouts: BackendTimeouts) {
    exchanges[exchange].upstream = upstream
    upstreams[upstream].exchange = exchange
    upstreams[upstream].phase = .busy
    upstreams[upstream].isReused = true
    upstreams[upstream].scanner = HeadScanner()
    loop.wheel.set(
      &upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + timeouts.response)
  }

  /// Opens a connection to the server that was chosen, or to the next where that fails, or answers 502 when all had
  /// their turn.
  func connect(_ exchange: Handle) {
    guard let backend = exchanges[exchange].backend else { return abort(exchange) }
    while true {
      let server = backend.servers[exchanges[exchange].attempt.server]
      if joinAttempt(exchange, at: server, timeout: backend.timeouts.connect) { return }
      switch server.endpoint.location {
      case .unix(let path):
        if exchanges[exchange].attempt.addresses == 0 {
          exchanges[exchange].attempt.addresses = 1
          if open(exchange, server, hasMore: false, { () throws(SystemError) in try Socket.connect(toUnix: path) }) {
            return
          }
        }
      case .network:
        let (addresses, mustResolve) = server.place.addresses(now: loop.clock.milliseconds)
        if addresses.isEmpty && exchanges[exchange].attempt.addresses == 0 {
          // Each look-up that comes back empty or late costs its server the turn, so this ends.
          return awaitAddresses(of: server.place, exchange, timeout: backend.timeouts.connect)
        }
        if mustResolve { refresh(server.place) }
        if openNext(exchange, server, addresses) { return }
      }
      if isRacing(exchange) { return }
      guard takeNextServer(exchange, of: backend) else { return refuse(exchange, .backendUnavailable) }
      if sendOnStanding(exchange, of: backend) { return }
    }
  }

  /// Begins to connect to the next address that lets it; false where none is left.
  private func openNext(_ exchange: Handle, _ server: UpstreamServer, _ addresses: [SocketAddress]) -> Bool {
    while exchanges[exchange].attempt.addresses < addresses.count {
      let address = addresses[exchanges[exchange].attempt.addresses]
      exchanges[exchange].attempt.addresses += 1
      let hasMore = exchanges[exchange].attempt.addresses < addresses.count
      if open(exchange, server, hasMore: hasMore, { () throws(SystemError) in try Socket.connect(to: address) }) {
        return true
      }
    }
    return false
  }

  private func open(
    _ exchange: Handle, _ server: UpstreamServer, hasMore: Bool, _ connect: () throws(SystemError) -> Int32
  ) -> Bool {
    guard let timeouts = exchanges[exchange].backend?.timeouts, let descriptor = try? connect() else { return false }
    guard let wire = wire(descriptor, to: server.place) else {
      Socket.close(descriptor)
      return false
    }
    let upstream = upstreams.insert(UpstreamConnection(wire: wire, to: server.place, exchange: exchange))
    joinRace(upstream, exchange, hasMore: hasMore)
    beginAttempt(exchange, at: server)
    counters.upstreamConnections.increment()
    loop.poller.watch(descriptor, as: upstream)
    loop.wheel.set(&upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + timeouts.connect)
    return true
  }

  /// The connection could not be made: the next address, then the next server, as nothing was sent.
  func connectFailed(_ upstream: Handle) {
    let exchange = upstreams[upstream].exchange
    leaveRace(upstream, exchange)
    close(upstream: upstream)
    connect(exchange)
  }

  /// The connection died before a byte of the answer.
  func upstreamDied(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    let wasReused = upstreams[upstream].isReused
    exchanges[exchange].upstream = .none
    close(upstream: upstream)
    let method = exchanges[exchange].method
    let sent = Int(exchanges[exchange].retry.sentBytes)
    guard exchanges[exchange].retry.mayRetry(method: method, onReused: wasReused) else {
      // What dies as it is used again may have met the backend's limit for idle ones, which is no fault.
      if !wasReused { serverFailed(.unreachable, exchange) }
      return refuse(exchange, .backendUnavailable)
    }
    counters.retries.increment()
    exchanges[exchange].retries &+= 1
    if let label = exchanges[exchange].label { counters.apps.add(1, .retries, label) }
    exchanges[exchange].requestOut?.rewind(by: sent)
    exchanges[exchange].attempt.addresses = 0
    connect(exchange)
  }
}
