import GatewayBase
import GatewayHTTP
import GatewayIO

// What the client side's edge decides of a request, and what answers say of it: address, origin, rate.
extension Worker {
  /// Notes where the request came from: the peer, or what a trusted peer says.
  func noteAddress(_ exchange: Handle, _ head: Span<UInt8>) {
    let client = exchanges[exchange].client
    guard clients[client].isTrusted else { return }
    exchanges[exchange].address = ForwardedFor.client(
      head, fields.value, peer: clients[client].peer.host, isTrusted: context.trusted.contain)
  }

  /// `X-Forwarded-Proto` and `-Port` for the backend: the listener's, or the scheme that a trusted peer was asked by
  /// and the scheme's own port.
  func forwardedFields(_ exchange: Handle, _ head: Span<UInt8>) -> [UInt8] {
    let client = exchanges[exchange].client
    if clients[client].isTrusted, let field = fields.value.only(.xForwardedProto) {
      let scheme = head.extracting(field.valueRange)
      if ByteCompare.equal(scheme, ForwardedScheme.https) { return ForwardedScheme.httpsFields }
      if ByteCompare.equal(scheme, ForwardedScheme.http) { return ForwardedScheme.httpFields }
    }
    return clients[client].listener.forwardedFields
  }

  /// Notes what the app's policy says of the request's origin; it holds for every answer, refusals included.
  func noteOrigin(_ exchange: Handle, _ head: Span<UInt8>, _ tenant: Tenant) {
    guard let policy = tenant.cors else {
      exchanges[exchange].cors = .none
      return
    }
    let origin = fields.value.only(.origin).flatMap { policy.grant(for: head.extracting($0.valueRange)) }
    exchanges[exchange].cors = origin.map { .granted($0) } ?? .refused
  }

  /// Judges the origin of a WebSocket handshake: browsers send one to any host and ask nobody before. Whoever sends none
  /// is no browser.
  ///
  /// - Throws: `forbidden` for a page that is not the app's.
  func requireKnownOrigin(_ head: Span<UInt8>, _ tenant: Tenant) throws(Refusal) {
    guard fields.value.has(.origin) else { return }
    guard let origin = fields.value.only(.origin),
      tenant.allowsWebSocket(from: head.extracting(origin.valueRange), port: host.value.port)
    else { throw .forbidden }
  }

  /// Counts the request against the limit of its route.
  ///
  /// - Throws: `rate_limited` where the caller has had its share.
  func count(_ exchange: Handle, against limit: RouteLimit, _ token: RememberedToken?) throws(Refusal) {
    let caller = limit.caller(user: token, address: exchanges[exchange].address)
    let standing = context.rates.count(caller, by: limit.rule, now: loop.clock.milliseconds * 1_000_000)
    exchanges[exchange].limit = limit
    exchanges[exchange].standing = standing
    guard standing.passes else {
      counters.rateLimited.increment()
      throw .rateLimited(retryAfter: Int(clamping: standing.reset))
    }
  }

  /// Appends what an answer says of origin and rate; nothing for most requests.
  func writeEdgeFields(_ exchange: Handle, to out: inout ByteBlock) {
    if exchanges[exchange].cors != .none, let policy = exchanges[exchange].tenant?.cors {
      out.append(policy.fields(exchanges[exchange].cors))
    }
    if let limit = exchanges[exchange].limit { limit.write(exchanges[exchange].standing, to: &out) }
  }
}

/// What a trusted peer may say of the scheme that it was asked by.
private enum ForwardedScheme {
  static let http = Array("http".utf8)
  static let https = Array("https".utf8)
  static let httpFields = Array("X-Forwarded-Proto: http\r\nX-Forwarded-Port: 80\r\n".utf8)
  static let httpsFields = Array("X-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\n".utf8)
}
