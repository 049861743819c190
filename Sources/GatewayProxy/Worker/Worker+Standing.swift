import GatewayBase
import GatewayIO

// What goes on for long must not outlive what allowed it: a token that ends, an app that is taken out.
extension Worker {
  /// Ends the WebSockets and answers whose token or app has gone. Called twice a second, so that a revocation that is
  /// known here ends them well within 2 s; whoever comes back at once is refused, as the token had ended before.
  func endStale() {
    let now = loop.clock.unix
    exchanges.forEachHandle { exchange in
      guard exchanges[exchange].phase == .relaying else { return }
      if let tenant = exchanges[exchange].tenant, snapshot.value.apps[tenant.appID] == nil {
        end(exchange, .appRemoved)
      } else if let token = exchanges[exchange].token, token.standing(now: now, authority: context.tokens) == .ended {
        // What was begun in time and has an end may reach it.
        let isFinite = !exchanges[exchange].isTunnel && exchanges[exchange].responseBody.remaining != nil
        if !isFinite || now < token.admission.expiresAt { end(exchange, .tokenEnded) }
      }
    }
  }

  /// Asks the clients of all WebSockets to come back, to another process.
  func endTunnels() {
    exchanges.forEachHandle { exchange in
      if exchanges[exchange].isTunnel { end(exchange, .goingAway) }
    }
  }

  private func end(_ exchange: Handle, _ ending: WebSocketExchange.Ending) {
    let client = exchanges[exchange].client
    if exchanges[exchange].isTunnel { endTunnel(exchange, ending) } else { abort(exchange) }
    driveClient(client)
  }
}
