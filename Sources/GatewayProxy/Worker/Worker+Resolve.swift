import GatewayBase
import GatewayIO

// Names of backends: looked up on other threads, once for all exchanges of this loop that wait for one.
extension Worker {
  /// Waits for the addresses of a server that has none yet, no longer than for a connection.
  func awaitAddresses(of place: UpstreamPlace, _ exchange: Handle, timeout: UInt64) {
    let awaited = ObjectIdentifier(place)
    wait(exchange, for: awaited, timeout: timeout)
    if resolving.value[awaited] != nil {
      resolving.value[awaited]?.append(exchange)
      return
    }
    guard find(place) else { return refuse(exchange, .overloaded) }
    resolving.value[awaited] = [exchange]
  }

  /// Lets the exchange wait until `goOn`, and its server lose the turn where that takes too long.
  func wait(_ exchange: Handle, for awaited: ObjectIdentifier, timeout: UInt64) {
    exchanges[exchange].awaited = awaited
    loop.wheel.set(&exchanges[exchange].deadline, of: exchange, to: loop.clock.milliseconds + timeout)
  }

  /// Looks a name up again where connections that stand would make all look-ups needless.
  func lookUp(_ place: UpstreamPlace) {
    if place.addresses(now: loop.clock.milliseconds).mustResolve { refresh(place) }
  }

  /// Whether a connection still leads to an address of its place: the name may have moved since it was made.
  func isCurrent(_ upstream: Handle) -> Bool {
    let moveCount = upstreams[upstream].place.moveCount
    if upstreams[upstream].moveCount == moveCount { return true }
    guard leads(upstreams[upstream].wire.descriptor, to: upstreams[upstream].place) else { return false }
    upstreams[upstream].moveCount = moveCount
    return true
  }

  /// Whether a socket is connected to one of the place's addresses.
  func leads(_ descriptor: Int32, to place: UpstreamPlace) -> Bool {
    Socket.peerAddress(of: descriptor).map(place.isAt) ?? false
  }

  /// Looks a name up again behind the requests, which go on with the addresses that are known.
  func refresh(_ place: UpstreamPlace) {
    // Where too many look-ups wait already, this one can be missed: it comes up again.
    if !find(place) { place.resolved([], now: loop.clock.milliseconds) }
  }

  /// Starts a look-up; false where too many wait already.
  private func find(_ place: UpstreamPlace) -> Bool {
    guard case .network(let host, let port) = place.endpoint.location else { return false }
    let mailbox = mailbox
    do throws(BlockingPool.Failure) {
      try context.names.find(host, port: port) { addresses in
        place.resolved(addresses, now: MonotonicClock.nanoseconds / 1_000_000)
        mailbox.post { $0.resolved(ObjectIdentifier(place), foundNone: addresses.isEmpty) }
      }
      return true
    } catch {
      return false
    }
  }

  private func resolved(_ place: ObjectIdentifier, foundNone: Bool) {
    goOn(resolving.value.removeValue(forKey: place) ?? [], from: place, passingOver: foundNone)
  }

  /// What these exchanges waited for at a server is there, or they pass it over.
  func goOn(_ waiting: [Handle], from awaited: ObjectIdentifier, passingOver: Bool) {
    for exchange in waiting where exchanges.contains(exchange) && exchanges[exchange].awaited == awaited {
      goOn(exchange, passingOver: passingOver)
    }
  }

  /// A look-up, or another one's attempt to connect, that takes too long costs its server the turn; an address that does gets a rival.
  func lookUpIsLate(_ exchange: Handle) {
    if exchanges[exchange].awaited != nil { goOn(exchange, passingOver: true) } else { raceGoesOn(exchange) }
  }

  private func goOn(_ exchange: Handle, passingOver: Bool) {
    let client = exchanges[exchange].client
    exchanges[exchange].awaited = nil
    loop.wheel.clear(&exchanges[exchange].deadline)
    if let backend = exchanges[exchange].backend, !passingOver || takeNextServer(exchange, of: backend) {
      reachServer(exchange, of: backend)
    } else {
      refuse(exchange, .backendUnavailable)
    }
    driveClient(client)
  }
}
