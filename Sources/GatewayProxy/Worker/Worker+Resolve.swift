import GatewayBase
import GatewayIO

// Names of backends: looked up on other threads, once for all exchanges of this loop that wait for one.
extension Worker {
  /// Waits for the addresses of a server that has none yet, no longer than for a connection.
  func awaitAddresses(of server: UpstreamServer, _ exchange: Handle, timeout: UInt64) {
    exchanges[exchange].awaitedServer = server.poolIndex
    loop.wheel.set(&exchanges[exchange].deadline, of: exchange, to: loop.clock.milliseconds + timeout)
    if resolving.value[server.poolIndex] != nil {
      resolving.value[server.poolIndex]?.append(exchange)
      return
    }
    guard find(server) else { return refuse(exchange, .overloaded) }
    resolving.value[server.poolIndex] = [exchange]
  }

  /// Looks a name up again behind the requests, which go on with the addresses that are known.
  func refresh(_ server: UpstreamServer) {
    // Where too many look-ups wait already, this one can be missed: it comes up again.
    if !find(server) { server.resolved([], now: loop.clock.milliseconds) }
  }

  /// Starts a look-up; false where too many wait already.
  private func find(_ server: UpstreamServer) -> Bool {
    let mailbox = mailbox
    do throws(BlockingPool.Failure) {
      try context.names.find(server.host, port: server.port) { addresses in
        server.resolved(addresses, now: MonotonicClock.nanoseconds / 1_000_000)
        mailbox.post { $0.resolved(server.poolIndex, foundNone: addresses.isEmpty) }
      }
      return true
    } catch {
      return false
    }
  }

  private func resolved(_ server: Int, foundNone: Bool) {
    let waiting = resolving.value.removeValue(forKey: server) ?? []
    for exchange in waiting where exchanges.contains(exchange) && exchanges[exchange].awaitedServer == server {
      goOn(exchange, passingOver: foundNone)
    }
  }

  /// A look-up that takes too long costs its server the turn.
  func lookUpIsLate(_ exchange: Handle) {
    if exchanges[exchange].awaitedServer != nil { goOn(exchange, passingOver: true) }
  }

  private func goOn(_ exchange: Handle, passingOver: Bool) {
    let client = exchanges[exchange].client
    exchanges[exchange].awaitedServer = nil
    loop.wheel.clear(&exchanges[exchange].deadline)
    if passingOver { exchanges[exchange].attempt.nextServer() }
    connect(exchange)
    driveClient(client)
  }
}
