import GatewayBase
import GatewayHTTP
import GatewayIO

// The life of an exchange: every one begins in `beginExchange` and ends in `finish` or `abort`, once.
extension Worker {
  /// Begins the exchange of a head, or of bytes that are none and are refused for it.
  func beginExchange(_ client: Handle, headCount: Int, refusing refusal: Refusal?) {
    let exchange = exchanges.insert(
      Exchange(
        client: client, address: clients[client].peer.host, headCount: headCount, startedAt: loop.clock.microseconds,
        id: ids.value.requestID()))
    clients[client].phase = .exchanging
    clients[client].exchange = exchange
    clients[client].scanner = HeadScanner()
    nothingIsDue(from: client)
    guard let refusal else { return judge(exchange, holding: nil) }
    noteRefused(exchange)
    refuse(exchange, refusal.closing())
  }

  /// Ends an exchange whose answer is out. The connection goes on, lingers or closes.
  func finish(_ exchange: Handle) {
    let client = exchanges[exchange].client
    let mayContinue = exchanges[exchange].keepsConnection && exchanges[exchange].requestBody.isComplete
    settle(exchange)
    clients[client].exchange = .none
    clients[client].wasServed = true
    if clients[client].stream != nil {
      finishStream(client)
    } else if mayContinue {
      clients[client].phase = .awaitingHead
      let wait = clients[client].input == nil ? context.limits.idle : context.limits.head
      loop.wheel.set(&clients[client].deadline, of: client, to: loop.clock.milliseconds + wait)
    } else {
      give(clients[client].input.take())
      linger(client)
    }
  }

  /// Ends our direction of a connection that owes no answer, and gives the client time to see that and close.
  func linger(_ client: Handle) {
    clients[client].wire.finishSending()
    clients[client].phase = .lingering
    loop.wheel.set(&clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.linger)
  }

  /// Ends an exchange that can't come to an answer, with its connection.
  func abort(_ exchange: Handle) {
    let client = exchanges[exchange].client
    counters.aborted.increment()
    exchanges[exchange].isAborted = true
    settle(exchange)
    close(client: client)
  }

  /// The one place where an exchange ends: what it held is given back, and it is counted and logged.
  private func settle(_ exchange: Handle) {
    if !letFinish(exchange), !exchanges[exchange].upstream.isNone { close(upstream: exchanges[exchange].upstream) }
    letBackendGo(exchange)
    give(exchanges[exchange].requestOut.take())
    give(exchanges[exchange].responseOut.take())
    give(exchanges[exchange].streamHead.take())
    give(exchanges[exchange].requestPipe.take())
    give(exchanges[exchange].responsePipe.take())
    record(exchange)
    exchanges.remove(exchange)
  }
}
