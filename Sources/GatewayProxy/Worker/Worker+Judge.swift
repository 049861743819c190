import GatewayBase
import GatewayCrypto
import GatewayHTTP
import GatewayIO

// The pipeline: host → target → preflight → route → token → rate → kind of client → size. Each step refuses or passes
// on; the head is read once, and the request to the backend is built from what was judged.
extension Worker {
  /// What is to become of a request.
  enum Verdict {
    case refuse(Refusal)
    /// The token is not remembered: it must be checked first.
    case verify(token: [UInt8], digest: SHA256Digest)
    /// The token's assertion has aged: another must be signed first.
    case renew(RememberedToken)
    case serve(ServiceRequest)
    case answerOptions
    case answerPreflight(ServiceResponse)
    case forward
  }

  /// Judges the exchange's head and sets off what follows.
  ///
  /// - Parameter remembered: the checked token, when the head is judged again for it.
  func judge(_ exchange: Handle, holding remembered: RememberedToken?) {
    let client = exchanges[exchange].client
    guard var input = clients[client].input.take() else { return abort(exchange) }
    var out = blocks.take()
    let verdict = decide(exchange, input.bytes.extracting(0..<exchanges[exchange].headCount), remembered, &out)
    switch verdict {
    case .verify(let token, let digest):
      blocks.give(out)
      clients[client].input = consume input
      return verify(exchange, token, digest)
    case .renew(let token):
      blocks.give(out)
      clients[client].input = consume input
      return renew(exchange, token)
    default: break
    }
    input.consume(exchanges[exchange].headCount)
    exchanges[exchange].headCount = 0
    clients[client].input = keep(input)
    if let late = clients[client].late.take() { clients[client].input = consume late }
    if case .forward = verdict {
      exchanges[exchange].requestOut = consume out
      return forward(exchange)
    }
    blocks.give(out)
    switch verdict {
    case .refuse(let refusal): refuse(exchange, refusal)
    case .serve(let request): collect(exchange, request)
    case .answerOptions: answer(exchange, ServiceResponse(204, fields: [ServiceField("Allow", Self.allMethods)]))
    case .answerPreflight(let response): answer(exchange, response)
    case .forward, .verify, .renew: break
    }
  }

  private static var allMethods: String { "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS" }

  /// Runs the pipeline over a head, notes what it finds in the exchange, and writes the backend's head into `out`.
  func decide(
    _ exchange: Handle, _ head: Span<UInt8>, _ remembered: RememberedToken?, _ out: inout ByteBlock
  ) -> Verdict {
    do throws(Refusal) {
      let request = try RequestParser.parse(prefixOf: head, into: &fields.value)
      exchanges[exchange].headCount = request.count
      exchanges[exchange].bytesIn = UInt64(request.count)
      note(request, in: exchange)
      noteAddress(exchange, head)
      let targetBytes = head.extracting(request.targetRange)
      guard HostName.canonicalize(head.extracting(fields.value[request.hostIndex].valueRange), into: &host.value) else {
        throw .badRequest("Host is malformed.")
      }
      guard let site = site(for: exchange) else {
        _ = try CanonicalTarget.parse(targetBytes, method: request.method, into: &target.value)
        noteTarget(exchange, request, head)
        throw .unknownHost
      }
      switch site {
      case .service(let service):
        note(
          service, of: exchange, head, origin: fields.value.only(.origin)?.valueRange, target: request.targetRange)
        let canonical = try CanonicalTarget.parse(targetBytes, method: request.method, into: &target.value)
        noteTarget(exchange, request, head)
        if canonical.isAsterisk { return .answerOptions }
        return .serve(serviceRequest(exchange, request, canonical, head))
      case .tenant(let tenant, let hostFields):
        note(tenant, of: exchange, head, origin: fields.value.only(.origin)?.valueRange)
        let canonical = try CanonicalTarget.parse(
          targetBytes, method: request.method, opaque: tenant.hasOpaquePaths, into: &target.value)
        noteTarget(exchange, request, head)
        if canonical.isAsterisk { return .answerOptions }
        if CORSPreflight.isOne(request.method, head, fields.value) {
          return .answerPreflight(preflight(exchange, head, tenant))
        }
        return try decide(exchange, head, request, canonical, tenant, hostFields, remembered, &out)
      }
    } catch {
      if exchanges[exchange].tenant == nil, exchanges[exchange].service == nil { noteRefused(exchange, head) }
      return .refuse(error)
    }
  }

  private func note(_ request: RequestHead, in exchange: Handle) {
    exchanges[exchange].method = request.method
    exchanges[exchange].isHTTP10 = request.minorVersion == 0
    exchanges[exchange].keepsConnection = request.keepAlive && !isDraining.value
    exchanges[exchange].mustSendContinue = request.expectsContinue
    // A stream has a body where its head did not end it; only HTTP/2 can leave the length open without a coding.
    let isOpenEnded = clients[exchanges[exchange].client].stream?.hasBody ?? false && request.framing == .none
    exchanges[exchange].requestBody = BodyReader(isOpenEnded ? .untilClose : request.framing)
    exchanges[exchange].sendsChunks = isOpenEnded || request.framing.isChunked
  }

  func site(for exchange: Handle) -> Site? {
    if case .service(let service) = clients[exchanges[exchange].client].listener.purpose {
      exchanges[exchange].label = nil
      return .service(service)
    }
    return snapshot.value.hosts.site(of: host.value)
  }

  private func preflight(_ exchange: Handle, _ head: Span<UInt8>, _ tenant: Tenant) -> ServiceResponse {
    let route = tenant.routes.index(of: target.value).map { tenant.routes.routes[$0] }
    let isGranted = if case .granted = exchanges[exchange].cors { true } else { false }
    return CORSPreflight.answer(head, fields.value, route: route, isGranted: isGranted)
  }

  /// The part of the pipeline that an app's rules decide.
  private func decide(
    _ exchange: Handle, _ head: Span<UInt8>, _ request: RequestHead, _ canonical: CanonicalTarget, _ tenant: Tenant,
    _ hostFields: [UInt8], _ remembered: RememberedToken?, _ out: inout ByteBlock
  ) throws(Refusal) -> Verdict {
    guard let index = tenant.routes.index(of: target.value) else { throw .noRoute }
    let route = tenant.routes.routes[index]
    exchanges[exchange].route = index
    guard route.methods.contains(MethodSet(request.method)) else { throw .methodNotAllowed(route.allow) }
    let offer = try webSocketOffer(head, request, exchange)
    let credential = BearerCredential.read(head, fields.value).joined(by: offer)
    if credential == .ambiguous { throw .severalCredentials }
    var token: RememberedToken?
    if route.requiresToken {
      if let query = canonical.queryRange,
        QueryInspection.holdsAccessToken(head.extracting(query.shifted(by: request.targetRange.lowerBound)))
      {
        throw .tokenInURL
      }
      switch credential {
      case .absent: throw .missingToken
      case .malformed, .ambiguous: throw .invalidToken
      case .token(let range):
        let bytes = head.extracting(range)
        guard let known = remembered ?? recent.value.find(bytes) ?? recall(bytes) else {
          switch BearerCredential.fault(head, range) {
          case nil: return .verify(token: Array(copying: bytes), digest: hasher.digest(bytes))
          case .ambiguous: throw .severalCredentials
          default: throw .invalidToken
          }
        }
        let standing = known.standing(now: loop.clock.unix, authority: context.tokens)
        guard standing != .ended, known.appID == tenant.appID else { throw .invalidToken }
        if remembered == nil {
          counters.tokensKnown.increment()
          if standing == .stale { return .renew(known) }
        }
        token = known
        noteUser(exchange, known)
      }
    }
    if offer != nil { try requireKnownOrigin(head, tenant) }
    if let limit = route.limit { try count(exchange, against: limit, token) }
    let origin = try requestFrom(head, tenant, isRequired: route.requiresToken, isWeb: offer?.token != nil)
    exchanges[exchange].bodyAllowance = route.maxBody
    if route.backend.speaksHTTP2 { exchanges[exchange].sendsChunks = false }
    if let length = exchanges[exchange].requestBody.remaining, length > route.maxBody { throw .bodyTooLarge }
    RequestWriter.write(
      RequestWriter.Parts(
        request: request, isHTTP2: clients[exchanges[exchange].client].stream != nil,
        framing: framing(exchange, request), canonical: canonical, methodOverride: tenant.allowsMethodOverride,
        forwardsToken: route.forwardsToken,
        address: exchanges[exchange].address, requestFrom: origin, offer: offer, id: exchanges[exchange].id,
        spanID: ids.value.next()),
      hostFields: hostFields, forwardedFields: forwardedFields(exchange, head), token: token, head: head,
      fields: fields.value, target: target.value, to: &out)
    exchanges[exchange].requestHeadCount = out.count
    exchanges[exchange].token = token
    if let offer { exchanges[exchange].webSocket = WebSocketExchange(answersSpeed: offer.includesSpeed) }
    exchanges[exchange].backend = route.backend
    return .forward
  }

  /// How the backend is told the end of the body.
  private func framing(_ exchange: Handle, _ request: RequestHead) -> BodyFraming {
    if exchanges[exchange].sendsChunks { return .chunked }
    return request.framing == .chunked ? .none : request.framing
  }

  /// Finds a token by its digest, and has it ready by its bytes the next time.
  private func recall(_ bytes: Span<UInt8>) -> RememberedToken? {
    guard let token = memory.value.find(hasher.digest(bytes)) else { return nil }
    recent.value.remember(token, as: bytes)
    return token
  }

  /// The allowed value of `X-Speed-Request-From`; none where there is none that may be passed on.
  ///
  /// - Parameter isWeb: the token came as a subprotocol, which only browsers need: they can't set the field either.
  private func requestFrom(
    _ head: Span<UInt8>, _ tenant: Tenant, isRequired: Bool, isWeb: Bool
  ) throws(Refusal) -> RequestWriter.RequestFrom {
    if let field = fields.value.only(.speedRequestFrom) {
      let value = head.extracting(field.valueRange)
      // By index, as a loop over the values would count a reference to each.
      for index in tenant.requestFrom.indices where ByteCompare.equal(value, tenant.requestFrom[index]) {
        return .received(field.valueRange)
      }
    } else if isWeb, !fields.value.has(.speedRequestFrom) {
      for allowed in tenant.requestFrom where allowed == Self.web { return .web }
    }
    if isRequired { throw .invalidRequestFrom }
    return .none
  }

  private static let web = Array("web".utf8)
}

extension Array where Element == UInt8 {
  init(copying span: Span<UInt8>) {
    self.init(capacity: span.count) { output in
      for index in span.indices { output.append(span[index]) }
    }
  }
}

extension Range where Bound == Int {
  /// The range of a part, within what the part was cut from.
  func shifted(by offset: Int) -> Range<Int> { (lowerBound + offset)..<(upperBound + offset) }
}
