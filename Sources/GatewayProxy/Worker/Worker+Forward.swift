import GatewayBase
import GatewayHTTP
import GatewayIO

// From the judged request to a connection that carries it: pool, look-up, connect, the next server, the retry.
extension Worker {
  func forward(_ exchange: Handle) {
    guard let backend = exchanges[exchange].backend else { return abort(exchange) }
    exchanges[exchange].phase = .forwarding
    exchanges[exchange].retry.retriesLeft = backend.retries
    turns.value &+= 1
    exchanges[exchange].attempt.first = Int(turns.value % UInt(backend.servers.count))
    if let refusal = addReceivedBody(exchange) { return refuse(exchange, refusal) }
    // What is sent of the rest of the body is not kept.
    exchanges[exchange].retry.isReplayable = exchanges[exchange].requestBody.isComplete
    if let pooled = takeIdle(of: backend.servers[exchanges[exchange].attempt.first]) {
      attach(pooled, to: exchange, timeouts: backend.timeouts)
      send(exchange)
    } else {
      connect(exchange)
    }
  }

  /// Puts what has arrived of the body behind the head, so that a small request leaves in one piece.
  private func addReceivedBody(_ exchange: Handle) -> Refusal? {
    let client = exchanges[exchange].client
    guard !exchanges[exchange].requestBody.isComplete, var input = clients[client].input.take() else { return nil }
    var out = exchanges[exchange].requestOut.take() ?? blocks.take()
    let refusal = copyBody(exchange, from: &input, to: &out)
    clients[client].input = keep(input)
    exchanges[exchange].requestOut = consume out
    return refusal
  }

  func takeIdle(of server: UpstreamServer) -> Handle? {
    guard server.poolIndex < pools.value.count else { return nil }
    while let handle = pools.value[server.poolIndex].take() {
      if upstreams.contains(handle) { return handle }
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

  /// Opens a connection to the server and address whose turn it is, or answers 502 when all had theirs.
  func connect(_ exchange: Handle) {
    guard let backend = exchanges[exchange].backend else { return abort(exchange) }
    while exchanges[exchange].attempt.servers < backend.servers.count {
      let attempt = exchanges[exchange].attempt
      let server = backend.servers[(attempt.first + attempt.servers) % backend.servers.count]
      let (addresses, mustResolve) = server.addresses(now: loop.clock.milliseconds)
      if addresses.isEmpty && attempt.addresses == 0 {
        // Each look-up that comes back empty or late costs its server the turn, so this ends.
        return awaitAddresses(of: server, exchange, timeout: backend.timeouts.connect)
      }
      if mustResolve { refresh(server) }
      guard attempt.addresses < addresses.count else {
        exchanges[exchange].attempt.nextServer()
        continue
      }
      do throws(SystemError) {
        let descriptor = try Socket.connect(to: addresses[attempt.addresses])
        let upstream = upstreams.insert(
          UpstreamConnection(descriptor: descriptor, server: server, exchange: exchange))
        exchanges[exchange].upstream = upstream
        counters.upstreamConnections.increment()
        loop.poller.watch(descriptor, as: upstream)
        return loop.wheel.set(
          &upstreams[upstream].deadline, of: upstream,
          to: loop.clock.milliseconds + backend.timeouts.connect)
      } catch {
        exchanges[exchange].attempt.addresses += 1
      }
    }
    refuse(exchange, .backendUnavailable)
  }

  /// The connection could not be made: the next address, then the next server, as nothing was sent.
  func connectFailed(_ upstream: Handle) {
    let exchange = upstreams[upstream].exchange
    exchanges[exchange].upstream = .none
    close(upstream: upstream)
    exchanges[exchange].attempt.addresses += 1
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
      return refuse(exchange, .backendUnavailable)
    }
    counters.retries.increment()
    exchanges[exchange].requestOut?.rewind(by: sent)
    connect(exchange)
  }
}
