import GatewayBase
import GatewayConfig
import GatewayCrypto
import GatewayIO
import GatewayIdentity
import GatewayOutbound
import GatewayPlugins
import GatewayProxy
import GatewayStore
import GatewayTLS

/// Everything that one process runs: built from the configuration, started once, ended by a drain.
final class RunningGateway: Sendable {
  let configuration: GatewayConfiguration
  let logger: Logger
  let clock = SystemClock()
  let pool: BlockingPool
  let store: any Store
  let keys: SigningKeys
  let revocations: Revocations
  private let tickets: Tickets
  let tenants: TenantFiles
  let watch: TenantWatch
  let claims: ClaimLedger
  let state: PlatformState
  let pluginLoader: PluginLoader
  private let plugins: PluginWatch
  let readiness = Readiness()
  let release: String
  let manager: ServiceManager
  /// Nil where requests are not logged.
  let access: AccessLog?
  let workers: WorkerGroup
  private let healthChecks: HealthChecks
  let jobs: ProviderJobRunner
  private let grants: GrantChecker
  private let teams: TeamWatch
  /// Nil where no mail is sent.
  let mailer: Mailer?
  private let records: ProviderRecords
  let platform: PlatformAPI
  let pages: Pages
  let adminAccess: AdminService.Access
  /// Of each listener in the configuration's order; nil where it speaks plain HTTP.
  let certificates: [ListenerCertificates?]

  /// Reads everything that is needed to serve. The store may be down: good tokens pass without it.
  ///
  /// - Throws: where keys, tenants' folder or the event loops can't be had.
  init(
    _ configuration: GatewayConfiguration, environment: [String: String], release: String, logger: Logger
  ) async throws {
    self.configuration = configuration
    self.release = release
    self.logger = logger
    manager = ServiceManager(environment)
    let loops = configuration.loops ?? Processors.available
    access = try configuration.log.access.open(loops: loops)
    pool = BlockingPool(name: "signatures", threads: max(1, Processors.available / 2), yields: true)
    store = configuration.store.open(environment: environment, logger: logger)
    keys = try SigningKeys(folder: configuration.tokenKeys)
    let ticketKeys = TLSTicketKeys(clock: clock)
    certificates = try configuration.listen.map { [clock] listener in
      listener.tls.isEmpty
        ? nil : try ListenerCertificates(listener, tickets: ticketKeys, now: clock.now, logger: logger)
    }
    adminAccess = AdminService.Access(configuration.admin, environment: environment)
    revocations = Revocations(store: store, clock: clock, logger: logger)
    pluginLoader = PluginLoader(folder: configuration.plugins, logger: logger)
    let catalog = pluginLoader.load()
    catalog.log(to: logger)
    let events = try FolderEvents()
    tenants = TenantFiles(
      folder: configuration.tenants, reserved: configuration.reservedHosts, environment: environment, clock: clock,
      logger: logger, events: events)
    watch = TenantWatch(tenants, events: events)
    var chance = SystemRandomNumberGenerator()
    claims = ClaimLedger(
      store: store, root: configuration.tenants, node: Hex.encode(chance.bytes(16)), clock: clock, logger: logger)
    let first = await Self.load(tenants, claims)
    let directory = first.directory
    state = PlatformState(directory: directory, plugins: catalog)
    plugins = PluginWatch(pluginLoader, state: state, pool: pool, logger: logger) { [state, logger] old, new in
      configuration.warnOfMissingMail(for: state.directory, new, after: old, logger)
    }
    configuration.warnOfMissingMail(for: directory, catalog, logger)

    let issuer = configuration.platform.publicURL.description
    let assertions = AssertionIssuer(keys: keys, issuer: issuer)
    tickets = Tickets(store: store, known: revocations.known, clock: clock, logger: logger)
    let gate = TokenGate(
      verifier: AccessTokenVerifier(keys: keys, issuer: issuer), assertions: assertions, revocations: revocations.known,
      tickets: tickets, logger: logger)
    healthChecks = try HealthChecks(assertions: assertions, clock: clock, logger: logger)
    healthChecks.follow(first.new, instead: [])
    let sealingKeys = try SealingKeys(folder: configuration.sealingKeys)
    let accounts = Accounts(
      store: store, keys: sealingKeys, revocations: revocations.known, clock: clock, logger: logger,
      appUserUUID: AppUserUUID.text)
    mailer = try configuration.mailer(environment: environment, logger: logger)
    records = ProviderRecords(store: store, keys: sealingKeys, clock: clock)
    let host = ProviderHost(
      configuration,
      means: ProviderMeans(accounts: accounts, records: records, passwords: PasswordWork(), mailer: mailer),
      environment: environment, clock: clock, logger: logger)
    let pace = CallPace(configuration.limits.providerCalls)
    jobs = ProviderJobRunner(
      ProviderJobs(store: store, keys: sealingKeys, clock: clock), host: host, state: state, pace: pace, logger: logger)
    grants = GrantChecker(
      GrantChecks(store: store, keys: sealingKeys, revocations: revocations.known, clock: clock), host: host,
      state: state, pace: pace, logger: logger)
    let rates = RateLimiter()
    let signInLimit = SignInLimit(RateRule(configuration.limits.signIns), rates)
    let sessionIssuer = SessionIssuer(
      tokens: AccessTokenIssuer(keys: keys, issuer: issuer),
      refreshTokens: RefreshTokens(store: store, revocations: revocations.known, clock: clock, logger: logger),
      revocations: revocations.known, clock: clock)
    let sessions = SessionAPI(
      gate: gate, pool: pool, accounts: accounts, revocations: revocations, issuer: sessionIssuer, limit: signInLimit,
      clock: clock, logger: logger)
    let signIns = ProviderSignIn(
      accounts: accounts, sessions: sessionIssuer, host: host, jobs: jobs,
      codes: SignInCodes(store: store, clock: clock, logger: logger), limit: signInLimit, logger: logger)
    pages = Pages(
      state: state,
      webSignIns: WebSignIn(flows: WebFlows(store: store, clock: clock, logger: logger), signIns: signIns),
      pages: ProviderPages(signIns: signIns, pool: pool))
    platform = PlatformAPI(
      state: state, sessions: sessions,
      deletions: DeletionAPI(sessions: sessions, accounts: accounts, host: host, jobs: jobs, logger: logger),
      links: LinkAPI(sessions: sessions),
      balances: BalanceAPI(
        keys: ServerKeyGate(environment: environment, pool: pool), accounts: accounts, logger: logger),
      notices: NoticeAPI(accounts: accounts, host: host, jobs: jobs, logger: logger),
      tickets: TicketAPI(sessions: sessions, publicURL: configuration.platform.publicURL),
      signIns: signIns,
      keys: { [keys] in keys.jwks })
    let limits = try Self.connectionLimits(configuration.limits, logger)
    workers = try WorkerGroup(
      count: loops,
      context: WorkerContext(
        tokens: gate, pool: pool, names: NameResolver(), logger: logger, limits: limits,
        trusted: TrustedProxies(configuration.trustedProxies), rates: rates, access: access),
      snapshot: directory.snapshot(for: configuration, platform: platform, pages: pages))
    claims.note(first.movements)
    teams = TeamWatch(store: store, files: tenants, logger: logger)
    teams.note(first.new.lazy.map(\.appID))
    tenants.onUpdate { [state, host, claims, teams, healthChecks, workers, logger] update in
      state.directory = update.directory
      host.issuers.keep(update.directory.names(issuer:))
      healthChecks.follow(update.new, instead: update.gone)
      workers.replace(update.gone, with: update.new)
      claims.note(update.movements)
      teams.note(update.new.lazy.map(\.appID))
      logger.info(
        "tenants are live", .integer("apps", update.directory.apps.count), .integer("changed", update.new.count))
    }
    await revocations.begin()
  }

  /// Reads all files, while the store is asked who had what first.
  private static func load(_ tenants: TenantFiles, _ claims: ClaimLedger) async -> TenantFiles.Update {
    let (answers, teller) = AsyncStream.makeStream(of: ClaimRecords?.self)
    Task { teller.yield(await claims.recall()) }
    let first = tenants.read(now: MonotonicClock.nanoseconds / 1_000_000)
    let patience = Task {
      try await Task.sleep(nanoseconds: Limits.claimsWait * 1_000_000)
      teller.yield(nil)
    }
    var answer = answers.makeAsyncIterator()
    let records = await answer.next() ?? nil
    patience.cancel()
    let history = records.map { claims.history($0, apps: first.apps, paths: first.paths) } ?? ClaimHistory()
    return tenants.begin(with: first, history: history)
  }

  private static func connectionLimits(
    _ configured: LimitConfiguration, _ logger: Logger
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
    limits.connections = connections
    limits.connectionsPerAddress = configured.perAddress(of: connections)
    limits.head = UInt64(configured.headTimeout.count)
    limits.progress = UInt64(configured.bodyTimeout.count)
    limits.idle = UInt64(configured.idleTimeout.count)
    return limits
  }

  func runBackground() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.migrate() }
      group.addTask { await self.revocations.run() }
      group.addTask { await self.tickets.run() }
      group.addTask { await self.prune() }
      group.addTask { await self.records.keepSealed(logger: self.logger) }
      group.addTask { await self.jobs.run() }
      group.addTask { await self.grants.run() }
      group.addTask { await self.watchFiles() }
      group.addTask { await self.plugins.run() }
      group.addTask { await self.healthChecks.run() }
      group.addTask { await self.claims.run(self.tenants) }
      group.addTask { await self.teams.run() }
      group.addTask { await self.endStale() }
    }
  }

  private func prune() async {
    let keep = configuration.audit.keep
    await ExpiryPruner(
      store: store, auditKeep: keep.count == 0 ? nil : max(1, keep.seconds), clock: clock, logger: logger
    ).run()
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

  /// Looks for changed certificates and keys.
  private func watchFiles() async {
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: 300_000_000)
      _ = try? await pool.run { [certificates, clock] in
        for certificates in certificates { certificates?.refresh(now: clock.now) }
      }
      do {
        if try keys.reload() { logger.info("signing keys were read again") }
      } catch {
        logger.warning("the signing keys can't be read", .text("reason", "\(error)"))
      }
    }
  }

  /// Reads all tenant files, and opens the access log anew: something may have moved it away.
  func reload() async {
    logger.info("reloading")
    manager.tellReloading()
    do {
      try access?.lines.reopen()
    } catch {
      logger.warning("the access log can't be opened again", .text("reason", "\(error)"))
    }
    await plugins.reload()
    await watch.reload()
    logger.info("tenants are live", .integer("apps", state.directory.apps.count))
    manager.tellReady()
  }
}
