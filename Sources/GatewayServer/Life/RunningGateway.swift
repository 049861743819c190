import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIO
import GatewayIdentity
import GatewayOutbound
import GatewayPlugins
import GatewayProxy
import GatewayStore

/// Everything that one process runs: built from the configuration, started once, ended by a drain.
final class RunningGateway: Sendable {
  private let configuration: GatewayConfiguration
  private let logger: Logger
  private let clock = SystemClock()
  private let pool: BlockingPool
  private let store: any Store
  private let keys: SigningKeys
  private let revocations: Revocations
  private let tenants: TenantFiles
  private let state: PlatformState
  private let readiness = Readiness()
  private let workers: WorkerGroup
  private let platform: PlatformAPI
  private let adminAccess: AdminService.Access

  /// Reads everything that is needed to serve. The store may be down: good tokens pass without it.
  ///
  /// - Throws: where keys, tenants' folder or the event loops can't be had.
  init(_ configuration: GatewayConfiguration, environment: [String: String], logger: Logger) throws {
    self.configuration = configuration
    self.logger = logger
    pool = BlockingPool(name: "pool", threads: Processors.available + 1)
    store = configuration.store.open(environment: environment, logger: logger)
    keys = try SigningKeys(folder: configuration.tokenKeys)
    adminAccess = AdminService.Access(configuration.admin, environment: environment)
    revocations = Revocations(store: store, clock: clock, logger: logger)
    let plugins = PluginCatalog.load(folder: configuration.plugins)
    plugins.log(to: logger)
    tenants = TenantFiles(configuration, environment: environment, logger: logger)
    let directory = tenants.directory(reusing: nil)
    state = PlatformState(directory: directory, plugins: plugins)

    let issuer = configuration.platform.publicURL.description
    let gate = TokenGate(
      verifier: AccessTokenVerifier(keys: keys, issuer: issuer),
      assertions: AssertionIssuer(keys: keys, issuer: issuer), revocations: revocations.known, logger: logger)
    let accounts = Accounts(store: store, clock: clock, logger: logger, appUserUUID: AppUserUUID.text)
    platform = PlatformAPI(
      state: state,
      sessions: SessionAPI(
        gate: gate, pool: pool, accounts: accounts, revocations: revocations, clock: clock, logger: logger),
      signIns: ProviderSignIn(
        accounts: accounts, tokens: AccessTokenIssuer(keys: keys, issuer: issuer),
        keySets: KeySets(client: OutboundClient(), logger: logger), configuration: configuration, clock: clock,
        logger: logger),
      keys: { [keys] in keys.jwks })
    let loops = configuration.loops ?? Processors.available
    let limits = try Self.connectionLimits(configuration.limits, loops: loops, logger)
    workers = try WorkerGroup(
      count: loops,
      context: WorkerContext(
        tokens: gate, pool: pool, names: NameResolver(), logger: logger, limits: limits),
      snapshot: directory.snapshot(for: configuration, platform: platform))
  }

  private static func connectionLimits(
    _ configured: LimitConfiguration, loops: Int, _ logger: Logger
  ) throws -> ConnectionLimits {
    let descriptors = try DescriptorLimit.raise()
    let connections = configured.connections(within: descriptors)
    if connections < configured.maxConnections {
      logger.warning(
        "limits.maxConnections is over what the descriptors allow; raise the hard limit (ulimit -Hn)",
        .integer("maxConnections", configured.maxConnections), .integer("descriptors", descriptors),
        .integer("connections", connections))
    }
    var limits = ConnectionLimits()
    limits.connections = max(1, connections / loops)
    limits.head = UInt64(configured.headTimeout.count)
    limits.progress = UInt64(configured.bodyTimeout.count)
    limits.idle = UInt64(configured.idleTimeout.count)
    return limits
  }

  /// Listens. Requests may come as soon as this returns.
  ///
  /// - Throws: `SystemError` where an address can't be had.
  func start() throws {
    for problem in tenants.problems { logger.report(problem) }
    for listener in configuration.listen {
      guard listener.tls.isEmpty else {
        logger.warning("a TLS listener is not served yet", .text("address", "\(listener.address)"))
        continue
      }
      try listen(on: listener.address, for: .hosts, role: "proxy")
    }
    let admin = AdminService(
      readiness: readiness,
      metrics: Metrics(
        workers: { [workers] in workers.counters }, files: { [tenants] in tenants.states }, plugins: state.plugins),
      access: adminAccess)
    try listen(on: configuration.admin.address, for: .service(admin), role: "admin")
    readiness.set(true)
  }

  private func listen(on address: SocketAddress, for purpose: Listener.Purpose, role: String) throws {
    do {
      let bound = try workers.listen(on: address, for: purpose)
      logger.info("listening", .text("address", "\(bound)"), .text("role", role))
    } catch {
      logger.error("an address can't be listened on", .text("address", "\(address)"), .text("role", role))
      throw error
    }
  }

  /// Serves until SIGTERM or SIGINT, and then drains; a second such signal ends the drain.
  func run(until signals: AsyncStream<SignalStream.Signal>) async {
    let background = Task { await runBackground() }
    var drain: Task<Void, Never>?
    let (drained, done) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      for await signal in signals {
        switch signal {
        case .hangUp: reload()
        case .interrupt, .terminate:
          if drain != nil { return done.finish() }
          drain = Task {
            await self.drain()
            done.finish()
          }
        }
      }
    }
    for await _ in drained {}
    listening.cancel()
    background.cancel()
  }

  /// Stops by steps, so that no request is lost: not ready, then no new connections, then the end of the running ones.
  private func drain() async {
    readiness.set(false)
    workers.beginDraining()
    logger.info("draining")
    try? await Task.sleep(nanoseconds: UInt64(configuration.drain.delay.count) * 1_000_000)
    await workers.drain(timeout: UInt64(configuration.drain.timeout.count))
    logger.info("drained")
  }

  private func runBackground() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.migrate() }
      group.addTask { await self.revocations.run() }
      group.addTask { await ExpiryPruner(store: self.store, clock: self.clock, logger: self.logger).run() }
      group.addTask { await self.watchFiles() }
      group.addTask { await self.endStale() }
    }
  }

  /// Ends WebSockets and streams whose token or app has gone.
  private func endStale() async {
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: 500_000_000)
      workers.endStale()
    }
  }

  /// Brings the schema up to date early, so that the first sign-in does not wait for it.
  private func migrate() async {
    do {
      _ = try await store.migrate()
    } catch {
      logger.warning("the store is not ready", .text("reason", "\(error)"))
    }
  }

  /// Looks for changed tenant files and keys.
  private func watchFiles() async {
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: 300_000_000)
      if let changed = try? await pool.run({ [tenants] in tenants.refresh(force: false) }), changed { publish() }
      do {
        if try keys.reload() { logger.info("signing keys were read again") }
      } catch {
        logger.warning("the signing keys can't be read", .text("reason", "\(error)"))
      }
    }
  }

  private func reload() {
    logger.info("reloading")
    _ = tenants.refresh(force: true)
    publish()
  }

  private func publish() {
    for problem in tenants.problems { logger.report(problem) }
    let directory = tenants.directory(reusing: state.directory)
    state.directory = directory
    workers.route(by: directory.snapshot(for: configuration, platform: platform))
    logger.info("tenants are live", .integer("apps", directory.apps.count))
  }
}
