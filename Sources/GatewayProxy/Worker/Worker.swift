import GatewayBase
import GatewayCrypto
import GatewayHTTP
import GatewayIO
import GatewayTLS

/// One event loop's share of the gateway: it owns every connection that it accepts, from accept to close, and every
/// exchange on it, from the head to the answer's last byte.
///
/// All of it runs on the loop's thread. What workers share is immutable (`WorkerContext`, `RoutingSnapshot`) or
/// behind a lock off the request's path. The state that requests touch is in slabs and pinned values, so that a
/// request costs no lock, no reference count and no exclusivity check.
package final class Worker: LoopHandler {
  let loop: EventLoop
  let context: WorkerContext
  let mailbox: WorkerMailbox
  let counters: WorkerCounters

  let clients = Slab<ClientConnection>(kind: 1)
  let upstreams = Slab<UpstreamConnection>(kind: 2)
  let exchanges = Slab<Exchange>(kind: 3)
  let listeners = Slab<Listening>(kind: 4)
  let http2 = Slab<HTTP2Connection>(kind: 5)

  let blocks = BlockPool(kept: Limits.keptBlocks)
  let pipes: Pinned<PipePool>
  let memory: Pinned<TokenMemory>
  let recent = Pinned(RecentTokens(capacity: Limits.recentTokens))
  let notes = ByteSlots(size: Limits.loggedRequest)
  let timeText = Pinned(TimeText())
  /// Exchanges that have ended.
  let ended = Pinned<UInt64>(0)
  let verifying = Pinned<[SHA256Digest: [Handle]]>([:])
  let renewing = Pinned<[ObjectIdentifier: TokenRenewal]>([:])
  /// Exchanges that wait for the addresses of a place.
  let resolving = Pinned<[ObjectIdentifier: [Handle]]>([:])
  /// By the `poolIndex` of the place.
  let pools = Pinned<[UpstreamPool]>([])
  let snapshot: Pinned<RoutingSnapshot>
  let ids: Pinned<IDGenerator>
  /// Whose turn it is among the servers of a backend. Loops begin at different ones.
  let turns = Pinned<UInt>(.random(in: 0...0xFFFF))
  /// HTTP/2 connections with something to send at the end of this turn.
  let unflushed = Pinned<[Handle]>([])
  /// Streams that may send again.
  let unblocked = Pinned<[Handle]>([])
  /// Connections of HTTP/2 that stand to each server, and those that are being made. No two apps share one, as the
  /// requests on it share its window: those of slow clients would hold up the others.
  let http2Pools = Pinned<[ObjectIdentifier: [Handle]]>([:])
  let http2Attempts = Pinned<[ObjectIdentifier: HTTP2Attempt]>([:])
  let http2Buffers = HTTP2Buffers()
  let tlsBuffers = TLSBuffers()
  let isDraining = Pinned<Bool>(false)

  // Scratch of the head that is being read: good until the next one.
  let fields = Pinned(FieldTable())
  let host = Pinned(HostBuffer())
  let target = Pinned(TargetBuffer())
  let hasher = SHA256Hasher()

  init(loop: EventLoop, context: WorkerContext, mailbox: WorkerMailbox, snapshot: RoutingSnapshot) {
    self.loop = loop
    self.context = context
    self.mailbox = mailbox
    self.counters = mailbox.counters
    self.snapshot = Pinned(snapshot)
    pipes = Pinned(PipePool(limit: context.limits.pipes))
    memory = Pinned(TokenMemory(capacity: Limits.rememberedTokens))
    ids = Pinned(IDGenerator(seed: .random(in: .min ... .max)))
  }

  package func ready(_ handle: Handle, _ readiness: Readiness) {
    if clients.contains(handle) {
      clientReady(handle, readiness)
    } else if upstreams.contains(handle) {
      upstreamReady(handle, readiness)
    } else if http2.contains(handle) {
      http2Ready(handle, readiness)
    } else if listeners.contains(handle) {
      accept(from: handle)
    }
  }

  package func timerCameUp(_ handle: Handle, tick: UInt64) {
    let now = loop.clock.milliseconds
    if clients.contains(handle) {
      if loop.wheel.isDue(&clients[handle].deadline, of: handle, now: now, tick: tick) { clientIsLate(handle) }
    } else if upstreams.contains(handle) {
      if loop.wheel.isDue(&upstreams[handle].deadline, of: handle, now: now, tick: tick) { upstreamIsLate(handle) }
    } else if exchanges.contains(handle) {
      if loop.wheel.isDue(&exchanges[handle].deadline, of: handle, now: now, tick: tick) { lookUpIsLate(handle) }
    } else if http2.contains(handle) {
      if loop.wheel.isDue(&http2[handle].deadline, of: handle, now: now, tick: tick) { http2IsLate(handle) }
    } else if listeners.contains(handle) {
      if loop.wheel.isDue(&listeners[handle].deadline, of: handle, now: now, tick: tick) { resumeAccepting(handle) }
    }
  }

  /// Gives a block back, or keeps it out of sight while it holds bytes.
  func keep(_ block: consuming ByteBlock) -> ByteBlock? {
    if block.isEmpty {
      blocks.give(block)
      return nil
    }
    return block
  }

  func give(_ block: consuming ByteBlock?) {
    if let block { blocks.give(block) }
  }
}

/// What all workers of a process share. Immutable.
package struct WorkerContext: Sendable {
  package let tokens: any TokenAuthority
  /// Verifies signatures.
  package let pool: BlockingPool
  package let names: NameResolver
  package let logger: Logger
  package let limits: ConnectionLimits
  /// Nil where requests are not logged.
  package let access: AccessLog?
  /// The peers whose word on where a request came from counts.
  package let trusted: TrustedProxies
  /// The rates of all callers.
  package let rates: RateLimiter
  let connections: ConnectionGate

  package init(
    tokens: any TokenAuthority, pool: BlockingPool, names: NameResolver, logger: Logger, limits: ConnectionLimits,
    trusted: TrustedProxies = TrustedProxies(), rates: RateLimiter = RateLimiter(),
    access: AccessLog? = nil
  ) {
    self.tokens = tokens
    self.pool = pool
    self.names = names
    self.logger = logger
    self.limits = limits
    self.access = access
    self.trusted = trusted
    self.rates = rates
    connections = ConnectionGate(limit: limits.connections, perAddress: limits.connectionsPerAddress)
  }
}

/// Bounds of client connections. Times in milliseconds.
package struct ConnectionLimits: Sendable, Equatable {
  /// Connections of all loops together; more are closed at once.
  package var connections = 100_000
  /// Pipes of one loop that hold a long body on its way: with more of them stuck, bodies are copied.
  package var pipes = Limits.pipes
  /// Of those, connections from one address (see `AddressBlock`); more are closed at once.
  package var connectionsPerAddress = 10_000
  /// From the first byte of a head, or the accept, to its last: 408 beyond.
  package var head: UInt64 = 10_000
  /// Without a byte of a request body, or of room for the answer: the exchange ends.
  package var progress: UInt64 = 60_000
  /// Between requests: the connection ends.
  package var idle: UInt64 = 75_000
  /// After the last answer, for the client to read it and close.
  package let linger: UInt64 = 2_000
  /// In a drain, for a connection that has not sent a request yet.
  package let lastChance: UInt64 = 1_000
  /// For an answer to a client that has ended its direction, and may have gone.
  package let halfClosed: UInt64 = 900

  package init() {}
}

/// The way to a worker from other threads and tasks.
package final class WorkerMailbox: Sendable {
  let loop: EventLoop
  /// Which of the group's workers it is.
  let index: Int
  package let counters = WorkerCounters()

  init(loop: EventLoop, index: Int) {
    self.loop = loop
    self.index = index
  }

  /// Runs `body` on the worker's thread.
  func post(_ body: @escaping @Sendable (Worker) -> Void) {
    loop.post { handler in
      guard let worker = handler as? Worker else { return }
      body(worker)
    }
  }
}
