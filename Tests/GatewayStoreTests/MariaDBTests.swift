import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Synchronization
import Testing

/// How long a call takes, in seconds.
private func seconds(_ work: () async -> Void) async -> Double {
  let start = MonotonicClock.nanoseconds
  await work()
  return Double(MonotonicClock.nanoseconds - start) / 1e9
}

@Suite struct MariaDBTests {
  private func withNotes(_ body: (any Store, TestDatabase) async throws -> Void) async throws {
    if let reason = StoreEngine.mariaDB.reasonToSkip { try Test.cancel("\(reason)") }
    try await withStore(.mariaDB, noteMigrations, body)
  }

  /// A store on the same database through a port that can fall silent.
  private func relayed(_ database: TestDatabase) throws -> (any Store, RelayedPort) {
    guard case .mariaDB(let address) = database.address, case .tcp(_, let port) = address.endpoint else {
      throw StoreError.sql("the test server listens on TCP")
    }
    let relay = RelayedPort(to: port)
    let url = "mariadb://\(address.user)@127.0.0.1:\(relay.port)/\(address.database)"
    return (try StoreAddress(url: url).open(migrations: noteMigrations, logger: Logger(level: .error)), relay)
  }

  private func expectUnavailable(_ work: () async throws -> Void) async {
    do {
      try await work()
      Issue.record("the store should be unavailable")
    } catch StoreError.unavailable {
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("a store that refuses connections fails at once")
  func refused() async throws {
    let store = try StoreAddress(url: "mariadb://u@127.0.0.1:1/d").open(migrations: [], logger: Logger(level: .error))
    let time = await seconds { await expectUnavailable { try await store.migrate() } }
    #expect(time < 1)
  }

  @Test("a store that takes connections and says nothing fails in its time limit, and from then on at once")
  func silentFromTheStart() async throws {
    // Port 0 is never reached: the relay's listener takes the connection by itself.
    let relay = RelayedPort(to: 0)
    relay.fallSilent()
    let store = try StoreAddress(url: "mariadb://u@127.0.0.1:\(relay.port)/d")
      .open(migrations: [], logger: Logger(level: .error))
    await expectUnavailable { try await store.migrate() }
    let time = await seconds { await expectUnavailable { try await store.migrate() } }
    #expect(time < 0.2)
  }

  @Test("a wrong password is unavailable with a reason")
  func wrongPassword() async throws {
    try await withNotes { _, database in
      guard case .mariaDB(let address) = database.address, case .tcp(_, let port) = address.endpoint else { return }
      try await TestDatabase.onServer("CREATE USER \(database.name)@'127.0.0.1' IDENTIFIED BY 'pw'")
      try await TestDatabase.onServer("GRANT ALL ON \(database.name).* TO \(database.name)@'127.0.0.1'")
      let url = "mariadb://\(database.name)@127.0.0.1:\(port)/\(database.name)"
      func store(_ password: String?) throws -> any Store {
        try StoreAddress(url: url, password: password.map { Secret($0.utf8) })
          .open(migrations: noteMigrations, logger: Logger(level: .error))
      }
      await expectUnavailable { _ = try await store("wrong").count }
      await expectUnavailable { _ = try await store(nil).count }
      let count = try await store("pw").count
      #expect(count == 0)
      try await TestDatabase.onServer("DROP USER \(database.name)@'127.0.0.1'")
    }
  }

  @Test("a connection that the server ended is replaced without the caller's notice")
  func killed() async throws {
    try await withNotes { store, _ in
      for _ in 0..<3 {
        let id = try await store.read { try $0.first("SELECT CONNECTION_ID()", [])?.integer(0) }
        try await TestDatabase.onServer("KILL \(id ?? 0)")
        try await store.write { try $0.run("DELETE FROM notes", []) }
      }
    }
  }

  @Test("a server that falls silent is unavailable in its time limit, and a commit in doubt is not run again")
  func silentAtCommit() async throws {
    try await withNotes { _, database in
      let (store, relay) = try relayed(database)
      try await store.migrate()
      let runs = Atomic(0)
      let time = await seconds {
        await expectUnavailable {
          try await store.write { connection in
            runs.add(1, ordering: .relaxed)
            try connection.run("INSERT INTO notes (id) VALUES ('a')", [])
            relay.fallSilent()
          }
        }
      }
      #expect(runs.load(ordering: .relaxed) == 1)
      #expect(time < 4)
    }
  }

  @Test("a body that hides a deadlock does not commit half of its work")
  func hiddenConflict() async throws {
    try await withNotes { store, _ in
      try await store.write { try $0.run("INSERT INTO notes (id, number) VALUES ('a', 1000), ('b', 2000)", []) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<16 {
          let ids = index.isMultiple(of: 2) ? ["a", "b"] : ["b", "a"]
          group.addTask {
            try await store.write { connection in
              for id in ids {
                _ = try? connection.run("UPDATE notes SET number = number + 1 WHERE id = ?", [.text(id)])
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let numbers = try await store.read {
        try $0.query("SELECT number FROM notes ORDER BY id", []).map { try $0.integer(0) }
      }
      #expect(numbers == [1016, 2016])
    }
  }
}
