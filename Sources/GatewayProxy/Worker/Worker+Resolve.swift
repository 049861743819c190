import GatewayBase
import GatewayIO

// Names of backends: looked up on other threads, once for all exchanges of this loop that wait for one.
extension Worker {
  /// Waits for the addresses of a server that has none yet, no longer than for a connection.
  func awaitAddresses(of server: UpstreamServer, _ exchange: Handle, timeout: UInt64) {
    wait(exchange, for: server, timeout: timeout)
    if resolving.value[server.poolIndex] != nil {
      resolving.value[server.poolIndex]?.append(exchange)
      return
    }
    guard find(server) else { return refuse(exchange, .overloaded) }
    resolving.value[server.poolIndex] = [exchange]
  }

  /// Lets the exchange wait until `goOn`, and its server lose the turn where that takes too long.
  func wait(_ exchange: Handle, for server: UpstreamServer, timeout: UInt64) {
    exchanges[exchange].awaitedServer = server.poolIndex
    loop.wheel.set(&exchanges[exchange].deadline, of: exchange, to: loop.clock.milliseconds + timeout)
  }

  /// Looks a name up again where connections that stand would make all look-ups needless.
  func lookUp(_ server: UpstreamServer) {
    if server.addresses(now: loop.clock.milliseconds).mustResolve { refresh(server) }
  }

  /// Whether a connection still leads to an address of its server: the name may have moved since it was made.
  func isCurrent(_ upstream: Handle) -> Bool {
    let moveCount = upstreams[upstream].server.moveCount
    if upstreams[upstream].moveCount == moveCount { return true }
    guard leads(upstreams[upstream].wire.descriptor, to: upstreams[upstream].server) else { return false }
    upstreams[upstream].moveCount = moveCount
    return true
  }

  /// Whether a socket is connected to one of the server's addresses.
  func leads(_ descriptor: Int32, to server: UpstreamServer) -> Bool {
    Socket.peerAddress(of: descriptor).map(server.isAt) ?? false
  }

  /// Looks a name up again behind the requests, which go on with the addresses that are known.
  func refresh(_ server: UpstreamServer) {
    // Where too many look-ups wait already, this one can be missed: it comes up again.
    if !find(server) { server.resolved([], now: loop.clock.milliseconds) }
  }

  /// Starts a look-up; false where too many wait already.
  private func find(_ server: UpstreamServer) -> Bool {
    guard case .network(let host, let port) = server.endpoint.location else { return false }
    let mailbox = mailbox
    do throws(BlockingPool.Failure) {
      try context.names.find(host, port: port) { addresses in
        server.resolved(addresses, now: MonotonicClock.nanoseconds / 1_000_000)
        mailbox.post { $0.resolved(server.poolIndex, foundNone: addresses.isEmpty) }
      }
      return true
    } catch {
      return false
    }
  }

  private func resolved(_ server: Int, foundNone: Bool) {
    goOn(resolving.value.removeValue(forKey: server) ?? [], from: server, passingOver: foundNone)
  }

  /// What these exchanges waited for at a server is there, or they pass it over.
  func goOn(_ waiting: [Handle], from server: Int, passingOver: Bool) {
    for exchange in waiting where exchanges.contains(exchange) && exchanges[exchange].awaitedServer == server {
      goOn(exchange, passingOver: passingOver)
    }
  }

  /// A look-up, or another one's attempt to connect, that takes too long costs its server the turn; an address that does gets a rival.
  func lookUpIsLate(_ exchange: Handle) {
    if exchanges[exchange].awaitedServer != nil { goOn(exchange, passingOver: true) } else { raceGoesOn(exchange) }
  }

  private func goOn(_ exchange: Handle, passingOver: Bool) {
    let client = exchanges[exchange].client
    exchanges[exchange].awaitedServer = nil
    loop.wheel.clear(&exchanges[exchange].deadline)
    if let backend = exchanges[exchange].backend, !passingOver || takeNextServer(exchange, of: backend) {
      reachServer(exchange, of: backend)
    } else {
      refuse(exchange, .backendUnavailable)
    }
    driveClient(client)
  }
}
