import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTesting

@testable import GatewayProxy

/// Workers in the test's own process, in front of scripted backends.
///
/// `app.test` has its routes: `/` and `/limited/` need no token, `/private/` does. `api.test` is the service, where one is given.
final class ProxyFixture: Sendable {
  /// What a test may want to be other than usual.
  struct Options {
    var loops = 1
    var limits = ConnectionLimits()
    var timeouts = BackendTimeouts()
    var retries = 1
    var maxBody: UInt64 = 64 << 20
    var service: (any Service)?
    /// Servers before those of the backends: host and port.
    var servers: [(host: String, port: UInt16)] = []
    var names = NameResolver()
    var access: AccessLog?
    /// Whether servers are spoken to by HTTP/2.
    var speaksHTTP2 = false
    var policy = Backend.Policy.roundRobin
    var rules = HealthRules()
    var maxConcurrent = Int.max
    /// Servers on Unix sockets, before all others.
    var unixPaths: [String] = []
    var trusted: [AddressRange] = []
    var isAnnounced = false
    var cors: CORSPolicy?
    /// Of `/limited/`, and of `/private/`.
    var limit: RouteLimit?
  }

  let workers: WorkerGroup
  let port: UInt16
  let authority = StubAuthority()
  /// Where all routes lead; nil where the fixture has no server.
  let backend: Backend?
  private let pool: BlockingPool
  private let backends: [ScriptedBackend]

  init(_ backends: [ScriptedBackend], _ configure: (inout Options) -> Void = { _ in }) throws {
    var options = Options()
    configure(&options)
    pool = BlockingPool(name: "test-pool", threads: 2)
    self.backends = backends
    let addresses = options.servers + backends.map { ("127.0.0.1", $0.port) }
    var endpoints =
      options.unixPaths.map { UpstreamEndpoint(.unix(path: $0)) }
      + addresses.map { UpstreamEndpoint(.network(host: $0.host, port: $0.port)) }
    if options.speaksHTTP2 { for index in endpoints.indices { endpoints[index].applicationProtocol = .h2 } }
    var tenants: [Tenant] = []
    var app = AppServers(nil)
    backend =
      endpoints.isEmpty
      ? nil
      : Backend(
        name: "main", servers: UpstreamServers().servers(endpoints, of: &app) { [rules = options.rules] _ in rules },
        timeouts: options.timeouts, retries: options.retries, policy: options.policy, rules: options.rules,
        maxConcurrent: options.maxConcurrent)
    if let backend { tenants.append(Self.tenant(backend, options)) }
    let api = HostName("api.test")
    let services = options.service.flatMap { service in api.map { ($0, service) } }
    let snapshot = RoutingSnapshot(services: services.map { [$0] } ?? [], tenants: tenants)
    workers = try WorkerGroup(
      count: options.loops,
      context: WorkerContext(
        tokens: authority, pool: pool, names: options.names, logger: Logger(level: .error), limits: options.limits,
        trusted: TrustedProxies(options.trusted), access: options.access),
      snapshot: snapshot)
    port = try workers.listen(
      on: SocketAddress(host: .v4(0x7F00_0001), port: 0), for: .hosts, isAnnounced: options.isAnnounced
    )
    .port
  }

  private static func tenant(_ backend: Backend, _ options: Options) -> Tenant {
    func route(_ path: String, requiresToken: Bool, limit: RouteLimit? = nil) -> Route {
      Route(
        path: Array(path.utf8), methods: .all, allow: "", requiresToken: requiresToken, backend: backend,
        maxBody: options.maxBody, forwardsToken: true, limit: limit)
    }
    return Tenant(
      appID: 7, hosts: [HostName("app.test")].compactMap { $0 }, requestFrom: ["app", "web"], hasOpaquePaths: false,
      allowsMethodOverride: false,
      routes: RouteTable([
        route("/", requiresToken: false), route("/private/", requiresToken: true, limit: options.limit),
        route("/limited/", requiresToken: false, limit: options.limit),
      ]), backends: [backend], cors: options.cors)
  }

  func connect(receiveBuffer: Int32? = nil) throws -> LoopbackConnection {
    try LoopbackConnection(port: port, receiveBuffer: receiveBuffer)
  }

  func exchange(_ request: HTTPRequest) throws -> HTTPAnswer {
    try LoopbackConnection.exchange(port: port, request)
  }

  /// The sum of one counter over the workers.
  func count(_ counter: (WorkerCounters) -> UInt64) -> UInt64 { workers.counters.reduce(0) { $0 + counter($1) } }
}

extension HTTPRequest {
  static func get(_ target: String = "/") -> HTTPRequest { HTTPRequest("GET", target, host: "app.test") }

  static func post(_ target: String = "/", body: [UInt8] = Array("hello".utf8)) -> HTTPRequest {
    HTTPRequest("POST", target, host: "app.test", body: body)
  }

  /// With a token that `StubAuthority` admits.
  func signedIn(_ token: String = StubAuthority.goodToken) -> HTTPRequest {
    adding("Authorization", "Bearer \(token)").adding("X-Speed-Request-From", "app")
  }
}

/// Admits every token that begins with `good`, for app 7.
final class StubAuthority: TokenAuthority {
  static let goodToken = "good.token.1"

  struct State {
    var version: UInt64 = 0
    var revoked: Set<String> = []
    /// Users whose accounts are linked, whatever their tokens say.
    var linked: Set<String> = []
    var admissions = 0
    var assertions = 0
    var revocationChecks = 0
    /// Seconds for which an assertion may be handed out.
    var assertionLife: Int64 = 30
    var knownKeys: Set<String> = ["key"]
  }

  let state = Locked(State())

  func admit(_ token: [UInt8], now: UnixTime) -> Admission? {
    let text = String(decoding: token, as: UTF8.self)
    state.withLock { $0.admissions += 1 }
    return text.hasPrefix("good") ? .sample(tokenID: text, now: now) : nil
  }

  func assertion(for admission: Admission, now: UnixTime) -> BackendAssertion? {
    state.withLock { state in
      state.assertions += 1
      guard state.knownKeys.contains(admission.keyID) else { return nil }
      let goodUntil = now.adding(seconds: state.assertionLife)
      return BackendAssertion(text: "assertion.\(state.assertions)", goodUntil: goodUntil)
    }
  }

  var revocationVersion: UInt64 { state.withLock { $0.version } }

  func standing(of admission: Admission) -> TokenStanding {
    state.withLock { state in
      state.revocationChecks += 1
      if state.revoked.contains(admission.tokenID) { return .ended }
      return .good(isLocalUser: !state.linked.contains(admission.userID) && admission.isLocalUser)
    }
  }

  /// As another node's poll learns of it.
  func link(_ user: String) {
    state.withLock { state in
      state.linked.insert(user)
      state.version += 1
    }
  }

  func revoke(_ token: String) {
    state.withLock { state in
      state.revoked.insert(token)
      state.version += 1
    }
  }
}

extension Admission {
  static func sample(
    app: Int64 = 7, userID: String = "user-1", tokenID: String = "t", now: UnixTime, life: Int64 = 3600
  ) -> Admission {
    Admission(
      appID: app, userID: userID, appUserUUID: "3d4c5b2d-0000-5000-8000-000000000000", role: "app-user",
      isLocalUser: true, tokenID: tokenID, issuedAt: now, expiresAt: now.adding(seconds: life),
      keyID: "key")
  }
}

extension RememberedToken {
  /// With an assertion that may be handed out for `assertionLife` seconds from the token's issue.
  convenience init(_ admission: Admission, assertionLife: Int64 = 30, checkedVersion: UInt64 = 0) {
    let assertion = BackendAssertion(
      text: "assertion.of.user", goodUntil: admission.issuedAt.adding(seconds: assertionLife))
    self.init(admission, assertion, checkedVersion: checkedVersion)
  }
}

/// A service that a test scripts.
struct ScriptedService: Service {
  let script: @Sendable (ServiceRequest) async -> ServiceResponse

  func respond(to request: ServiceRequest) async -> ServiceResponse { await script(request) }
}

/// Sends on a thread of its own while the test reads.
///
/// `@unchecked Sendable`: what sending and receiving touch of a connection is apart.
final class BackgroundSender: @unchecked Sendable {
  private let connection: LoopbackConnection

  init(_ connection: LoopbackConnection) { self.connection = connection }

  /// Sends as much of `bytes` as the gateway takes.
  func start(_ bytes: [UInt8]) -> ParallelRun<Void> {
    Parallel.start(1) { _ in self.connection.sendIfPossible(bytes) }
  }
}

/// What workers hold at one moment.
struct Holdings {
  var clients = 0
  var upstreams = 0
  var idleUpstreams = 0
  var exchanges = 0
  var blocks = 0
  var notes = 0
  var pipes = 0
  /// Connections of HTTP/2 to backends: those in pools, and those that are being made.
  var http2Pooled = 0
  var http2Attempts = 0
}

extension WorkerGroup {
  func holdings() async -> Holdings {
    var sum = Holdings()
    for mailbox in mailboxes {
      let part = await withCheckedContinuation { continuation in
        mailbox.post { continuation.resume(returning: $0.holdings()) }
      }
      sum.clients += part.clients
      sum.upstreams += part.upstreams
      sum.idleUpstreams += part.idleUpstreams
      sum.exchanges += part.exchanges
      sum.blocks += part.blocks
      sum.notes += part.notes
      sum.pipes += part.pipes
      sum.http2Pooled += part.http2Pooled
      sum.http2Attempts += part.http2Attempts
    }
    return sum
  }
}

extension Worker {
  fileprivate func holdings() -> Holdings {
    var idle = 0
    upstreams.forEachHandle { if upstreams[$0].phase == .idle { idle += 1 } }
    return Holdings(
      clients: clients.count, upstreams: upstreams.count, idleUpstreams: idle, exchanges: exchanges.count,
      blocks: blocks.lent, notes: notes.lent, pipes: pipes.value.lent,
      http2Pooled: http2Pools.value.values.reduce(0) { $0 + $1.count }, http2Attempts: http2Attempts.value.count)
  }
}
