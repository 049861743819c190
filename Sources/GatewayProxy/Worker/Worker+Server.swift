import GatewayBase
import GatewayIO

// The server that an exchange has taken: chosen, changed for another, judged, let go.
extension Worker {
  /// Counts the exchange in at its backend and chooses a server.
  ///
  /// - Returns: a refusal where the backend has its most requests, or all of its servers are down.
  func takeServer(_ exchange: Handle, of backend: Backend) -> Refusal? {
    guard backend.load.enter(limit: backend.maxConcurrent) else { return .backendFull }
    turns.value &+= 1
    let favourite = backend.favourite(turn: turns.value, &ids.value)
    if backend.servers[favourite].isPlain {
      take(favourite, of: backend, for: exchange)
      return nil
    }
    return takeOther(than: favourite, of: backend, for: exchange)
  }

  @inline(never)
  private func takeOther(than favourite: Int, of backend: Backend, for exchange: Handle) -> Refusal? {
    let now = loop.clock.milliseconds
    backend.timePassed(now: now, site(of: exchange))
    guard let index = backend.reconsider(favourite, now: now, &ids.value) else {
      backend.load.leave()
      return .backendDown(retryAfter: backend.check?.interval ?? 0)
    }
    take(index, of: backend, for: exchange)
    return nil
  }

  private func take(_ index: Int, of backend: Backend, for exchange: Handle) {
    exchanges[exchange].attemptAt = loop.clock.microseconds
    backend.servers[index].take()
    exchanges[exchange].take(server: index)
  }

  /// The server could not be reached: it loses its turn to another one. False where none is left.
  func takeNextServer(_ exchange: Handle, of backend: Backend) -> Bool {
    endAttempt(exchange, passingOver: true)
    serverFailed(.unreachable, exchange)
    guard let failed = exchanges[exchange].letServerGo() else { return false }
    backend.servers[failed].letGo()
    let tried = (exchanges[exchange].attempt.tried ?? []) + [failed]
    exchanges[exchange].attempt.tried = tried
    guard let index = backend.choose(afterFailed: tried, now: loop.clock.milliseconds, &ids.value) else {
      backend.load.leave()
      return false
    }
    take(index, of: backend, for: exchange)
    return true
  }

  /// The server failed the exchange.
  func serverFailed(_ failure: ServerHealth.Failure, _ exchange: Handle) {
    guard let backend = exchanges[exchange].backend, exchanges[exchange].holdsServer else { return }
    backend.requestFailed(
      failure, at: exchanges[exchange].attempt.server, now: loop.clock.milliseconds, chance: ids.value.fraction(),
      site(of: exchange))
  }

  /// The server began to answer, with this status. A gateway's errors say that it could not do its work.
  func serverAnswered(_ status: UInt16, _ exchange: Handle) {
    guard exchanges[exchange].holdsServer else { return }
    if (502...504).contains(status) { return serverFailed(.unserved, exchange) }
    let index = exchanges[exchange].attempt.server
    if exchanges[exchange].backend?.servers[index].isPlain ?? true { return }
    exchanges[exchange].owesGoodNews = true
    exchanges[exchange].backend?.answerBegan(at: index, now: loop.clock.milliseconds, site(of: exchange))
  }

  /// The server answered to the end.
  func serverServed(_ exchange: Handle) {
    guard exchanges[exchange].owesGoodNews, exchanges[exchange].holdsServer,
      let backend = exchanges[exchange].backend
    else { return }
    backend.requestServed(
      at: exchanges[exchange].attempt.server, now: loop.clock.milliseconds, site(of: exchange))
  }

  /// The exchange is done with its backend. Counts once, however often it is called.
  func letBackendGo(_ exchange: Handle) {
    endAttempt(exchange, passingOver: false)
    guard let index = exchanges[exchange].letServerGo(), let backend = exchanges[exchange].backend else { return }
    backend.servers[index].letGo()
    backend.load.leave()
  }

  private func site(of exchange: Handle) -> HealthSite {
    HealthSite(app: exchanges[exchange].tenant?.appID ?? 0, logger: context.logger)
  }
}
