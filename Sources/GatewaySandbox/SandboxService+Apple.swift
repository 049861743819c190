import GatewayBase
import GatewayCrypto
import GatewayOutbound
import GatewayProxy

// Apple's token services.
extension SandboxService {
  /// Answers a call of one of them: the switched failure, or what the ledger says.
  func service(_ door: ServiceDoor, _ request: ServiceRequest) async throws -> ServiceResponse {
    let fields = FormFields(request.body)
    let failure = state.withLock { state in
      state.counts[door, default: 0] += 1
      return state.failures[door] ?? .ok
    }
    if failure == .slow { try await Task.sleep(for: slowness) }
    let response = try await answer(door, fields, request, failure)
    record(door, fields, status: response.status)
    return response
  }

  private func answer(
    _ door: ServiceDoor, _ fields: FormFields?, _ request: ServiceRequest, _ failure: ServiceFailure
  ) async throws -> ServiceResponse {
    if let answer = failure.answer { return answer }
    do {
      guard let fields, let client = fields["client_id"] else { throw AppleLedger.Refusal.invalidRequest }
      let issuer = issuer ?? Self.issuer(of: request)
      let keys = state.withLock { $0.developerKeys }
      try ClientSecretCheck(issuer: issuer, now: clock.now.seconds, developerKeys: keys)
        .check(fields["client_secret"], client: client)
      switch door {
      case .token: return Self.json(try await tokenAnswer(fields, client: client, issuer: issuer, failure))
      case .revoke:
        guard let token = fields["token"] else { throw AppleLedger.Refusal.invalidRequest }
        state.withLock { $0.ledger.revoke(token) }
        return ServiceResponse(200)
      case .migration: return Self.json(try migration(fields))
      }
    } catch let refusal as AppleLedger.Refusal {
      return ServiceFailure.refusal(refusal)
    }
  }

  private func tokenAnswer(
    _ fields: FormFields, client: String, issuer: String, _ failure: ServiceFailure
  ) async throws -> JSONValue {
    var answer: [String: JSONValue] = [
      "access_token": .string("a\(RandomText.nonce())"), "token_type": .string("Bearer"), "expires_in": .integer(3600),
    ]
    let now = clock.now.seconds
    switch fields["grant_type"] {
    case "authorization_code":
      guard let code = fields["code"] else { throw AppleLedger.Refusal.invalidRequest }
      let (known, token) = try state.withLock { state throws(AppleLedger.Refusal) in
        try state.ledger.exchange(code, client: client, redirectURI: fields["redirect_uri"], now: now)
      }
      if failure != .noRefreshToken { answer["refresh_token"] = .string(token) }
      let claims = failure == .oddClaims ? ["email": .integer(5), "email_verified": .array([])] : known.claims
      answer["id_token"] = .string(
        try await idToken(claims, client: client, subject: known.subject, issuer: issuer))
    case "refresh_token":
      guard let token = fields["refresh_token"] else { throw AppleLedger.Refusal.invalidRequest }
      let grant = try state.withLock { state throws(AppleLedger.Refusal) in
        try state.ledger.refresh(token, client: client)
      }
      answer["id_token"] = .string(
        try await idToken(grant.claims, client: client, subject: grant.subject, issuer: issuer))
    case "client_credentials": break
    default: throw AppleLedger.Refusal.unsupportedGrantType
    }
    return .object(answer)
  }

  private func idToken(
    _ claims: [String: JSONValue], client: String, subject: String, issuer: String
  ) async throws -> String {
    let now = clock.now
    let usual: [String: JSONValue] = [
      "iss": .string(issuer), "aud": .string(client), "sub": .string(subject), "iat": .integer(now.seconds),
      "exp": .integer(now.seconds + 86_400),
    ]
    let mint = IdentityTokenMint(
      try IdentityTokenRequest(parsing: [], now: now), issuer: issuer, keys: state.withLock { $0.keys })
    return try await pool.run { try mint.signed(usual.merging(claims) { $1 }) }
  }

  private func migration(_ fields: FormFields) throws(AppleLedger.Refusal) -> JSONValue {
    if let subject = fields["sub"], let target = fields["target"] {
      return try state.withLock { state throws(AppleLedger.Refusal) in
        guard !state.stuckSubjects.contains(subject) else { throw .invalidRequest }
        return .object(["transfer_sub": .string(state.ledger.transferID(of: subject, target: target))])
      }
    }
    guard let transferID = fields["transfer_sub"] else { throw .invalidRequest }
    let subject = try state.withLock { state throws(AppleLedger.Refusal) in
      try state.ledger.movedSubject(transferID)
    }
    return .object([
      "sub": .string(subject), "email": .string("\(subject.suffix(10))@privaterelay.appleid.com"),
      "is_private_email": .string("true"),
    ])
  }

  private func record(_ door: ServiceDoor, _ fields: FormFields?, status: UInt16) {
    let time = clock.now.milliseconds
    var shown = (fields?.values ?? [:]).mapValues { JSONValue.string($0) }
    if let secret = fields?["client_secret"] { shown["client_secret"] = ClientSecretCheck.shown(secret) }
    let call = JSONValue.object([
      "door": .string(door.rawValue), "fields": .object(shown), "status": .integer(Int64(status)),
      "at": .integer(time),
    ])
    state.withLock { state in
      state.calls.append(call)
      if state.calls.count > Self.recordedCalls { state.calls.removeFirst(Self.recordedCalls / 2) }
    }
  }

  /// Calls that are remembered: the oldest half goes beyond.
  private static var recordedCalls: Int { 2000 }
}

// What developers and users do at Apple.
extension SandboxService {
  /// Makes a sign-in key, whose signatures are checked from then on.
  func makeDeveloperKey(_ request: ServiceRequest) throws -> JSONValue {
    _ = try RequestMembers(request.body, known: [])
    let key = try SigningKey.generate()
    let id = RandomText.keyID().uppercased()
    state.withLock { $0.developerKeys[id] = key.verifyingKey }
    return .object([
      "keyId": .string(id), "privateKey": .string(String(decoding: try key.pem().reveal(), as: UTF8.self)),
    ])
  }

  /// Makes a notification, and sends it where its request says so.
  func notify(_ request: ServiceRequest) async throws -> JSONValue {
    let issuer = issuer ?? Self.issuer(of: request)
    let wish = try NotificationRequest(parsing: request.body, issuer: issuer, now: clock.now)
    let token = try IdentityTokenRequest(
      parsing: JSONValue.object(["key": .string(wish.key.rawValue)]).jsonText, now: clock.now)
    let mint = IdentityTokenMint(token, issuer: issuer, keys: state.withLock { $0.keys })
    let payload = try await pool.run { try mint.signed(wish.claims) }
    guard let text = wish.url else { return .object(["payload": .string(payload)]) }
    guard let url = try? ServiceURL(text), url.isLoopback else {
      throw Refusal.invalidRequest("url must be one of this machine.")
    }
    let content: OutboundRequest.Content =
      wish.isForm
      ? .form([OutboundRequest.Field("payload", payload)])
      : .json(JSONValue.object(["payload": .string(payload)]).jsonText)
    do throws(OutboundError) {
      let answer = try await sender.send(.post(url, content))
      return .object(["payload": .string(payload), "status": .integer(Int64(answer.status))])
    } catch {
      return .object(["payload": .string(payload), "status": .null, "reason": .string(error.description)])
    }
  }

  /// The id under which a user moves.
  func transferID(_ request: ServiceRequest) throws(Refusal) -> JSONValue {
    let members = try RequestMembers(request.body, known: ["sub", "target"])
    let target = try members.string("target")
    guard let subject = try members.string("sub"), let target else { throw .invalidRequest("Send sub and target.") }
    return .object(["transfer_sub": .string(state.withLock { $0.ledger.transferID(of: subject, target: target) })])
  }

  /// The user takes back what he granted, as in a device's settings: his refresh tokens are no good any more.
  func withdraw(_ request: ServiceRequest) throws(Refusal) -> JSONValue {
    guard let subject = try RequestMembers(request.body, known: ["sub"]).string("sub") else {
      throw .invalidRequest("sub is missing.")
    }
    state.withLock { $0.ledger.withdraw(subject: subject) }
    return .object(["sub": .string(subject)])
  }
}
