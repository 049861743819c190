import GatewayBase
import GatewayIO

// Several addresses of one server: the next one is tried while those before still have their time, and the first that
// stands serves (RFC 8305, "happy eyeballs").
extension Worker {
  /// An attempt to connect has begun: it joins those of the exchange that are under way.
  ///
  /// - Parameter hasMore: whether the server has an address that was not tried.
  func joinRace(_ upstream: Handle, _ exchange: Handle, hasMore: Bool) {
    upstreams[upstream].rival = exchanges[exchange].upstream
    exchanges[exchange].upstream = upstream
    guard hasMore else { return }
    loop.wheel.set(&exchanges[exchange].deadline, of: exchange, to: loop.clock.milliseconds + Limits.addressHeadStart)
  }

  /// The last address had its head start: the next one joins.
  func raceGoesOn(_ exchange: Handle) {
    guard exchanges[exchange].phase == .forwarding, isRacing(exchange) else { return }
    let client = exchanges[exchange].client
    connect(exchange)
    driveClient(client)
  }

  /// Whether attempts to connect are under way.
  func isRacing(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    return !upstream.isNone && upstreams[upstream].phase == .connecting
  }

  /// An attempt failed; the others go on.
  func leaveRace(_ upstream: Handle, _ exchange: Handle) {
    let next = upstreams[upstream].rival
    upstreams[upstream].rival = .none
    if exchanges[exchange].upstream == upstream {
      exchanges[exchange].upstream = next
      return
    }
    var other = exchanges[exchange].upstream
    while !other.isNone {
      if upstreams[other].rival == upstream {
        upstreams[other].rival = next
        return
      }
      other = upstreams[other].rival
    }
  }

  /// The first connection stands: it is the exchange's, and the other attempts end.
  func winRace(_ upstream: Handle, _ exchange: Handle) {
    loop.wheel.clear(&exchanges[exchange].deadline)
    let isFirst = exchanges[exchange].attempt.addresses <= 1
    guard !isFirst else { return }
    leaveRace(upstream, exchange)
    let others = exchanges[exchange].upstream
    if !others.isNone { close(upstream: others) }
    exchanges[exchange].upstream = upstream
    if let address = Socket.peerAddress(of: upstreams[upstream].wire.descriptor) {
      upstreams[upstream].place.prefer(address)
    }
  }
}
