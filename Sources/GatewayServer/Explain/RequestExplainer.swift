import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayIdentity
import GatewayProxy

/// Tells what becomes of requests, by the code that serves them: the app is compiled as the gateway compiles it, and
/// the request goes through a worker's pipeline (see `RequestTrial`). Nothing is sent to anyone.
package struct RequestExplainer {
  private let configuration: GatewayConfiguration
  private let set: TenantSet
  private let tokens: any TokenAuthority

  /// - Parameters:
  ///   - files: all of the folder of tenants.
  ///   - keys: what tokens are checked with; nil where there is none yet, and so no good token.
  ///   - revocations: those that are known.
  ///   - history: who had what first, as far as it is known.
  package init(
    _ configuration: GatewayConfiguration, files: [TenantFile], keys: SigningKeys?, revocations: RevocationSet,
    history: ClaimHistory = ClaimHistory()
  ) {
    self.configuration = configuration
    set = TenantSet.assemble(files, reserved: configuration.reservedHosts, history: history)
    tokens = ExplainedTokens(
      verifier: keys.map { AccessTokenVerifier(keys: $0, issuer: configuration.platform.publicURL.description) },
      revocations: revocations)
  }

  /// Explains one request.
  ///
  /// - Throws: where the kernel gives no poller.
  package func explain(_ request: ExplainedRequest) throws -> Explanation {
    let host = hostName(request)
    let owner = host.flatMap { host in
      set.tenants.first { $0.configuration.domains.contains(host) }
    }
    let trial = try trial(owner?.configuration)
    var narrator = Narrator(request: request, configuration: owner?.configuration, file: owner?.path)
    narrator.tellHost(host, set)
    var added: [(name: String, value: String)] = []
    var admission: Admission?
    while true {
      let outcome = trial.run(
        RequestTrial.Request(
          head: request.head(adding: added), peer: SocketAddress(host: request.peer, port: 40_000),
          isTLS: request.isTLS, port: request.port),
        as: admission)
      guard case .refused(let refusal) = outcome.verdict,
        let next = assumption(refusal, request, owner?.configuration, added)
      else {
        narrator.tell(outcome, assuming: added.map(\.name))
        return narrator.explanation
      }
      narrator.refuse(refusal, assuming: next.text)
      added.append(next.field)
      if let presumed = next.admission { admission = presumed }
    }
  }

  /// What the explanation takes for given behind a refusal that says nothing about the files: a client that sends what
  /// is missing. Each once.
  private func assumption(
    _ refusal: Refusal, _ request: ExplainedRequest, _ tenant: TenantConfiguration?,
    _ added: [(name: String, value: String)]
  ) -> (field: (name: String, value: String), text: String, admission: Admission?)? {
    guard let tenant, !added.contains(where: { $0.name == Self.fieldName(of: refusal) }) else { return nil }
    switch refusal {
    case .missingToken:
      return (("Authorization", "Bearer TOKEN"), "a good token of a user", .presumed(app: tenant.appID))
    case .invalidRequestFrom where !request.has("X-Speed-Request-From"):
      guard let value = tenant.requestFrom.first else { return nil }
      return (("X-Speed-Request-From", value), "X-Speed-Request-From: \(value)", nil)
    default: return nil
    }
  }

  private static func fieldName(of refusal: Refusal) -> String {
    refusal == .missingToken ? "Authorization" : "X-Speed-Request-From"
  }

  private func hostName(_ request: ExplainedRequest) -> HostName? {
    let written = request.fields.first { $0.name.lowercased() == "host" }?.value ?? request.authority
    return HostName(written)
  }

  private func trial(_ tenant: TenantConfiguration?) throws -> RequestTrial {
    let tenants = tenant.map { [TenantCompiler.tenant($0, replacing: nil, with: TenantMaterials())] } ?? []
    let snapshot = RoutingSnapshot(
      services: configuration.platform.services(api: NoService(), pages: NoService()), tenants: tenants,
      maxHeader: configuration.limits.maxHeader.bytes)
    let context = WorkerContext(
      tokens: tokens, pool: BlockingPool(name: "pool", threads: 1), names: NameResolver(threads: 1),
      logger: Logger(level: .error, format: .text), limits: ConnectionLimits(),
      trusted: TrustedProxies(configuration.trustedProxies))
    return try RequestTrial(snapshot: snapshot, context: context)
  }
}

/// Stands for the gateway's own hosts: they are told, not asked.
private struct NoService: Service {
  func respond(to request: ServiceRequest) async -> ServiceResponse { ServiceResponse(404) }
}

/// Judges the token of an explained request as the gateway would, but signs nothing.
private struct ExplainedTokens: TokenAuthority {
  let verifier: AccessTokenVerifier?
  let revocations: RevocationSet

  func admit(_ token: [UInt8], now: UnixTime) -> Admission? {
    guard let verifier, case .success(let token) = verifier.verify(token, app: nil, now: now),
      revocations.couldAdmit(token, now: now)
    else { return nil }
    return revocations.admission(token)
  }

  func assertion(for admission: Admission, now: UnixTime) -> BackendAssertion? {
    BackendAssertion(text: "ASSERTION", goodUntil: admission.expiresAt)
  }

  var revocationVersion: UInt64 { revocations.version }

  func standing(of admission: Admission) -> TokenStanding { revocations.standing(of: admission) }
}

extension Admission {
  /// Any user of an app, with a token that is good.
  fileprivate static func presumed(app: Int64) -> Admission {
    let now = SystemClock().now
    return Admission(
      appID: app, userID: "USER", appUserUUID: "UUID", role: Profile.role, isLocalUser: true, tokenID: "TOKEN",
      issuedAt: now, expiresAt: now.adding(seconds: 3600), keyID: "KEY")
  }
}
