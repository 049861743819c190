import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayStore
import GatewayStoreTesting
import GatewayTesting
import Testing

@testable import GatewayServer

/// One process with its folder, on a store that it may share.
private struct Node {
  let watched: WatchedFolder
  let ledger: ClaimLedger

  /// Starts as the gateway does: what is known is recalled, then the files are loaded.
  ///
  /// - Parameter isStoreDown: nothing is known until the next turn.
  static func start(
    _ name: String, _ store: any Store, in folder: TemporaryFolder, _ contents: [String: String] = [:],
    clock: any WallClock = SystemClock(), isStoreDown: Bool = false
  ) async throws -> Node {
    let ledger = ClaimLedger(
      store: store, root: folder.path("tenants"), node: name, clock: clock, logger: Logger(level: .error))
    let records = isStoreDown ? nil : await ledger.recall()
    let watched = try WatchedFolder(contents, in: folder) { first in
      records.map { ledger.history($0, apps: first.apps, paths: first.paths) } ?? ClaimHistory()
    }
    ledger.note(watched.begun.movements)
    watched.files.onUpdate { ledger.note($0.movements) }
    return Node(watched: watched, ledger: ledger)
  }

  func leave() async { await ledger.leave(watched.files) }

  func turn() async throws { try await ledger.synchronize(watched.files) }

  /// The app at a host.
  func app(_ host: String) -> Int64? {
    HostName(host).flatMap { watched.files.directory.app(at: $0) }?.configuration.appID
  }

  var codes: [String] { watched.codes }
}

@Suite("Who had what first") struct ClaimLedgerTests {
  private func withNodes(
    _ engine: StoreEngine, _ body: (any Store, TestDatabase) async throws -> Void
  ) async throws {
    try await withStore(engine, IdentitySchema.migrations, body)
  }

  @Test("a node that leaves in the middle of a round writes each claim once", arguments: StoreEngine.allCases)
  func leaving(_ engine: StoreEngine) async throws {
    try #require(engine.reasonToSkip == nil)
    try await withNodes(engine) { store, _ in
      let folder = try TemporaryFolder()
      let contents = (1...200).map { ("\($0).yaml", yaml($0, "app\($0).localhost")) }
      let node = try await Node.start("one", store, in: folder, Dictionary(uniqueKeysWithValues: contents))
      let (ledger, files) = (node.ledger, node.watched.files)
      async let round: Void = ledger.synchronize(files)
      async let end: Void = ledger.leave(files)
      _ = try await (round, end)
      let records = try #require(try? await ClaimRecords.read(store, now: SystemClock().now))
      #expect(records.records.filter { $0.claim.kind == .app }.count == 200)
    }
  }

  @Test(
    "the app that had a domain first keeps it across a restart, whatever the order of files",
    arguments: StoreEngine.allCases)
  func restart(_ engine: StoreEngine) async throws {
    try #require(engine.reasonToSkip == nil)
    try await withNodes(engine) { store, _ in
      let folder = try TemporaryFolder()
      let first = try await Node.start("one", store, in: folder, ["m.yaml": yaml(7, "shared.localhost")])
      try await first.turn()
      await first.leave()
      let second = try await Node.start("two", store, in: folder, ["a.yaml": yaml(2, "shared.localhost")])
      #expect(second.app("shared.localhost") == 7 && second.codes == ["duplicate_domain"])
      try second.watched.write("m.yaml", yaml(7, "other.localhost"))
      second.watched.settle()
      #expect(second.app("shared.localhost") == 2 && second.codes == [], "it was dropped")
      try await second.turn()
      await second.leave()
      let third = try await Node.start("three", store, in: folder, ["m.yaml": yaml(7, "shared.localhost")])
      #expect(third.app("shared.localhost") == 2 && third.codes == ["duplicate_domain"])
    }
  }

  @Test("an app ID stays with the file that had it first", arguments: StoreEngine.allCases)
  func appID(_ engine: StoreEngine) async throws {
    try #require(engine.reasonToSkip == nil)
    try await withNodes(engine) { store, _ in
      let folder = try TemporaryFolder()
      let first = try await Node.start("one", store, in: folder, ["m.yaml": yaml(7, "m.localhost")])
      try await first.turn()
      await first.leave()
      let second = try await Node.start("two", store, in: folder, ["a.yaml": yaml(7, "a.localhost")])
      #expect(second.app("m.localhost") == 7 && second.app("a.localhost") == nil)
      #expect(second.codes == ["duplicate_app"])
    }
  }

  @Test(
    "what one node has, another node's app does not get, until it is released there", arguments: StoreEngine.allCases)
  func nodes(_ engine: StoreEngine) async throws {
    try #require(engine.reasonToSkip == nil)
    try await withNodes(engine) { store, database in
      let first = try await Node.start(
        "one", store, in: try TemporaryFolder(), ["m.yaml": yaml(7, "shared.localhost")])
      try await first.turn()
      let second = try await Node.start(
        "two", database.open(IdentitySchema.migrations), in: try TemporaryFolder(),
        ["a.yaml": yaml(2, "shared.localhost")])
      #expect(second.app("shared.localhost") == nil && second.codes == ["duplicate_domain"])
      try await second.turn()
      #expect(second.app("shared.localhost") == nil)
      try first.watched.write("m.yaml", yaml(7, "other.localhost"))
      first.watched.settle()
      try await first.turn()
      try await second.turn()
      #expect(second.app("shared.localhost") == 2 && second.codes == [])
    }
  }

  @Test("with the store down at the start the files alone decide, and what another had first is given up later")
  func storeDown() async throws {
    try await withNodes(.sqlite) { store, _ in
      let first = try await Node.start(
        "one", store, in: try TemporaryFolder(), ["m.yaml": yaml(7, "shared.localhost")])
      try await first.turn()
      let second = try await Node.start(
        "two", store, in: try TemporaryFolder(),
        ["a.yaml": yaml(2, "shared.localhost"), "b.yaml": yaml(3, "b.localhost")], isStoreDown: true)
      #expect(second.app("shared.localhost") == 2)
      try await second.turn()
      #expect(second.app("shared.localhost") == nil && second.app("b.localhost") == 3)
      #expect(second.codes == ["duplicate_domain"])
      #expect(first.app("shared.localhost") == 7)
    }
  }

  @Test("what went while nobody watched is free once no node is left that had it, and then at once")
  func goneUnseen() async throws {
    try await withNodes(.sqlite) { store, _ in
      let first = try await Node.start(
        "one", store, in: try TemporaryFolder(), ["m.yaml": yaml(7, "shared.localhost")])
      try await first.turn()
      let second = try await Node.start(
        "two", store, in: try TemporaryFolder(), ["a.yaml": yaml(2, "shared.localhost")])
      try await second.turn()
      #expect(second.app("shared.localhost") == nil)
      await first.leave()
      try await second.turn()
      #expect(second.app("shared.localhost") == 2)
      try await second.turn()
      let records = try await ClaimRecords.read(store, now: SystemClock().now).records
      #expect(records.first { $0.claim.value == "shared.localhost" }?.app == 2)
    }
  }

  @Test("a file that is broken when the gateway starts keeps what its app had")
  func brokenAtStart() async throws {
    try await withNodes(.sqlite) { store, _ in
      let folder = try TemporaryFolder()
      let first = try await Node.start("one", store, in: folder, ["m.yaml": yaml(7, "shared.localhost")])
      try await first.turn()
      await first.leave()
      let second = try await Node.start(
        "two", store, in: folder, ["m.yaml": "appId: [", "a.yaml": yaml(2, "shared.localhost")])
      #expect(second.app("shared.localhost") == nil)
      #expect(second.codes.contains("duplicate_domain"))
    }
  }

  @Test("what many apps have is written and read in pages", arguments: StoreEngine.allCases)
  func many(_ engine: StoreEngine) async throws {
    try #require(engine.reasonToSkip == nil)
    try await withNodes(engine) { store, _ in
      let folder = try TemporaryFolder()
      let contents = Dictionary(
        uniqueKeysWithValues: (1...600).map {
          ("\($0).yaml", yaml($0, "app\($0).localhost", bundleIDs: ["com.a.b\($0)"]))
        })
      let first = try await Node.start("one", store, in: folder, contents)
      try await first.turn()
      let records = try await ClaimRecords.read(store, now: SystemClock().now)
      #expect(records.records.count == 1_800 && Set(records.records.map(\.claim)).count == 1_800)
      #expect(records.nodes == ["one"])
      let second = try await Node.start("two", store, in: folder)
      #expect(second.watched.begun.movements.isEmpty, "all of it is known")
      try await second.turn()
      #expect(
        try await ClaimRecords.read(store, now: SystemClock().now).records.allSatisfy {
          $0.claim.kind != .app || $0.node == "two"
        })
    }
  }
}
