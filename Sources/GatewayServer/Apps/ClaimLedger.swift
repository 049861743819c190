import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayStore

/// Keeps in the store who had what first, and learns from it what other nodes and earlier runs had.
///
/// The store decides nothing on the request's path: what is taken here is served at once, and given up again where it
/// turns out that another had it first. With the store down the files alone decide, until it is back.
final class ClaimLedger: Sendable {
  private struct State {
    // Slices, which give up their beginning at no cost: after a first start there are hundreds of thousands.
    var movements: ArraySlice<ClaimMovement> = []
    /// Apps whose records name another node than this one.
    var unseen: ArraySlice<Int64> = []
    /// The last of the writes, for which the next one waits: what is noted is written in order, and once.
    var writing: Task<Void, any Error>?
    var hasLeft = false
    /// Of the last sign of life.
    var seenAt = -ClaimLedger.heartbeat
  }

  /// Movements of a transaction.
  private static let batch = 1000
  private static let interval = Duration.milliseconds(500)
  /// Milliseconds between two signs of life.
  private static let heartbeat: Int64 = 5_000

  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger
  private let root: String
  private let node: String
  private let state = Locked(State())

  /// - Parameters:
  ///   - root: the folder of tenants.
  ///   - node: tells this process from all others.
  init(store: any Store, root: String, node: String, clock: any WallClock, logger: Logger) {
    self.store = store
    self.root = root.hasSuffix("/") ? root : root + "/"
    self.node = node
    self.clock = clock
    self.logger = logger
  }

  /// What is known from before; nil where the store can't tell in time.
  func recall() async -> ClaimRecords? {
    do {
      // A store that is not there yet knows nothing, and need not be made before the gateway is ready.
      guard try await store.inspect() != nil else { return ClaimRecords() }
      return try await ClaimRecords.read(store, now: clock.now)
    } catch {
      logger.warning("who had which domain first is not known yet", .text("reason", "\(error)"))
      return nil
    }
  }

  func history(_ records: ClaimRecords, apps: Set<Int64>, paths: Set<String>) -> ClaimHistory {
    let unseen = records.records.filter { $0.claim.kind == .app && apps.contains($0.app) && $0.node != node }
    state.withLock { $0.unseen += unseen.map(\.app) }
    return records.history(apps: apps, paths: paths) { root + $0 }
  }

  func note(_ movements: [ClaimMovement]) { state.withLock { $0.movements += movements } }

  /// Writes and learns until the task is cancelled, less often while the store is gone.
  func run(_ files: TenantFiles) async {
    await StoreRounds(
      every: Self.interval, failing: "who had which domain first can't be kept in the store",
      recovered: "who had which domain first is in the store again", logger: logger
    ).run {
      guard !state.withLock({ $0.hasLeft }) else { return .over }
      try await synchronize(files)
      return .again
    }
  }

  /// Gives a sign of life where one is due, writes what was noted, and learns what others have.
  func synchronize(_ files: TenantFiles) async throws {
    let now = clock.now.milliseconds
    if state.withLock({ now >= $0.seenAt &+ Self.heartbeat }) {
      try await giveSign()
      state.withLock { $0.seenAt = now }
    }
    try await write(files)
    try await learnOfReleases(files)
  }

  /// Writes what was noted last, and tells other nodes that this one is gone, so that what only it had is free.
  func leave(_ files: TenantFiles) async {
    _ = try? await write(files)
    state.withLock { $0.hasLeft = true }
    let node = node
    _ = try? await store.write { try $0.run("DELETE FROM gateway_nodes WHERE node = ?", [.text(node)]) }
  }

  private func giveSign() async throws {
    let (node, now) = (node, clock.now)
    try await store.write { connection in
      let time = SQLValue.integer(now.milliseconds)
      if try connection.run("UPDATE gateway_nodes SET seen_at = ? WHERE node = ?", [time, .text(node)]) == 0 {
        try connection.run("INSERT INTO gateway_nodes (node, seen_at) VALUES (?, ?)", [.text(node), time])
      }
      let forgotten = SQLValue.integer(now.milliseconds - 100 * Limits.nodeSilence)
      try connection.run("DELETE FROM gateway_nodes WHERE seen_at < ?", [forgotten])
    }
  }

  private func write(_ files: TenantFiles) async throws {
    let task = state.withLock { state in
      let earlier = state.writing
      let task = Task {
        _ = await earlier?.result
        try await self.writeNoted(files)
      }
      state.writing = task
      return task
    }
    try await task.value
  }

  private func writeNoted(_ files: TenantFiles) async throws {
    while true {
      let (movements, unseen) = state.withLock { state in
        (Array(state.movements.prefix(Self.batch)), Array(state.unseen.prefix(Self.batch)))
      }
      guard !movements.isEmpty || !unseen.isEmpty else { return }
      let (node, root, directory) = (node, root, files.directory)
      let transaction = ClaimTransaction(
        movements: movements.filter(\.claim.isLasting), node: node, now: clock.now,
        isPresent: { directory.apps[$0] != nil },
        relative: { $0.hasPrefix(root) ? String($0.dropFirst(root.count)) : $0 })
      let taken = try await store.write { connection in
        for app in unseen {
          try connection.run(
            "UPDATE tenant_claims SET node = ? WHERE kind = ? AND value = ?",
            [.text(node), .integer(Int64(TenantClaim.Kind.app.rawValue)), .text(String(app))])
        }
        return try transaction.run(on: connection)
      }
      state.withLock { state in
        state.movements.removeFirst(movements.count)
        state.unseen.removeFirst(unseen.count)
        if state.movements.isEmpty { state.movements = [] }
        if state.unseen.isEmpty { state.unseen = [] }
      }
      for holder in taken where holder.claim.isExclusive {
        logger.warning(
          "another app had it first", .integer("app", Int(holder.app)), .text("file", holder.file),
          .text("claim", "\(holder.claim.kind)"))
      }
      files.learn(taken.filter(\.claim.isExclusive).map { ($0.claim, $0.app, root + $0.file) })
    }
  }

  /// Files may wait for what an app has that is not here: it may have released it, or be gone with its node.
  private func learnOfReleases(_ files: TenantFiles) async throws {
    let awaited = files.awaited
    guard !awaited.isEmpty else { return }
    let nodes = try await ClaimRecords.nodes(store, now: clock.now).subtracting([node])
    let free = try await store.read { connection in
      try awaited.compactMap { claim, app -> (claim: TenantClaim, isHeld: Bool)? in
        let key: [SQLValue] = [.integer(Int64(claim.kind.rawValue)), .text(claim.value), .integer(app)]
        let isHeld =
          try connection.first("SELECT app FROM tenant_claims WHERE kind = ? AND value = ? AND app = ?", key) != nil
        let row = try connection.first(
          "SELECT node FROM tenant_claims WHERE kind = ? AND value = ?",
          [.integer(Int64(TenantClaim.Kind.app.rawValue)), .text(String(app))])
        guard isHeld else { return (claim, false) }
        return try row.map { try nodes.contains($0.text(0)) } ?? false ? nil : (claim, true)
      }
    }
    // What an app has that is nowhere at work is kept for it as long as a file here names it.
    files.forget(free.filter { !$0.isHeld || awaited[$0.claim].map { !files.isNamed(app: $0) } ?? true }.map(\.claim))
  }
}
