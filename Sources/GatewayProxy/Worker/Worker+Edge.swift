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

  /// Whether the client came over TLS: by the listener, or by what a trusted peer says.
  func isSecure(_ exchange: Handle, _ head: Span<UInt8>) -> Bool {
    forwardedFields(exchange, head).starts(with: "X-Forwarded-Proto: https".utf8)
  }

  /// Notes whose the request is, and what the app's policy says of the origin that asks: that holds for every answer,
  /// refusals included.
  ///
  /// - Parameter origin: where the head names the one origin.
  func note(_ tenant: Tenant, of exchange: Handle, _ head: Span<UInt8>, origin: Range<Int>?) {
    exchanges[exchange].tenant = tenant
    exchanges[exchange].label = tenant.label
    guard let policy = tenant.cors else {
      exchanges[exchange].cors = .none
      return
    }
    let granted = origin.flatMap { policy.grant(for: head.extracting($0)) }
    exchanges[exchange].cors = granted.map { .granted($0) } ?? .refused
  }

  /// Notes which of the gateway's own services the request is for, and the origin that asks.
  ///
  /// - Parameter target: where the head has it.
  func note(
    _ service: any Service, of exchange: Handle, _ head: Span<UInt8>, origin: Range<Int>?, target: Range<Int>?
  ) {
    if exchanges[exchange].label != nil { exchanges[exchange].label = .platform }
    exchanges[exchange].service = ServiceExchange(
      service: service, origin: origin.map { String(copying: head.extracting($0)) },
      target: target.map { String(copying: head.extracting($0.prefix(Limits.loggedName))) })
  }

  /// Finds out whose a request is whose head was refused as such, as far as what came of it can be read.
  func noteRefused(_ exchange: Handle) {
    let client = exchanges[exchange].client
    guard let input = clients[client].input.take() else { return }
    clients[client].input = noteRefused(exchange, input)
  }

  private func noteRefused(_ exchange: Handle, _ input: consuming ByteBlock) -> ByteBlock {
    noteRefused(exchange, input.bytes)
    return input
  }

  /// The same for a head that is at hand.
  func noteRefused(_ exchange: Handle, _ head: Span<UInt8>) {
    let glimpse = HeadGlimpse(head)
    guard let named = glimpse.host, HostName.canonicalize(head.extracting(named), into: &host.value),
      let site = site(for: exchange)
    else { return }
    switch site {
    case .service(let service): note(service, of: exchange, head, origin: glimpse.origin, target: glimpse.target)
    case .tenant(let tenant, _): note(tenant, of: exchange, head, origin: glimpse.origin)
    }
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
