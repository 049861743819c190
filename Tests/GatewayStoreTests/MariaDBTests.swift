import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Glibc
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
    return (try StoreAddress(url).open(migrations: noteMigrations, logger: Logger(level: .error)), relay)
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
    // The fastest of several, each on a store of its own: on a busy machine one may wait long for its turn.
    var fastest = Double.infinity
    for _ in 0..<5 {
      let store = try StoreAddress("mariadb://u@127.0.0.1:1/d").open(migrations: [], logger: Logger(level: .error))
      fastest = min(fastest, await seconds { await expectUnavailable { try await store.migrate() } })
    }
    #expect(fastest < 0.5)
  }

  @Test("a store that takes connections and says nothing fails in its time limit, and then for one caller at a time")
  func silentFromTheStart() async throws {
    // Port 0 is never reached: the relay's listener takes the connection by itself.
    let relay = RelayedPort(to: 0)
    relay.fallSilent()
    let store = try StoreAddress("mariadb://u@127.0.0.1:\(relay.port)/d")
      .open(migrations: [], logger: Logger(level: .error))
    await expectUnavailable { try await store.migrate() }
    let times = await withTaskGroup(of: Double.self) { group in
      for _ in 0..<20 {
        group.addTask { await seconds { await expectUnavailable { try await store.migrate() } } }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    // At most one of them finds out whether the store is back.
    #expect(times.filter { $0 > 1.5 }.count <= 1)
  }

  @Test("a wrong password is unavailable with a reason")
  func wrongPassword() async throws {
    try await withNotes { _, database in
      guard case .mariaDB(let address) = database.address, case .tcp(_, let port) = address.endpoint else { return }
      try await TestDatabase.onServer("CREATE USER \(database.name)@'127.0.0.1' IDENTIFIED BY 'pw'")
      try await TestDatabase.onServer("GRANT ALL ON \(database.name).* TO \(database.name)@'127.0.0.1'")
      let url = "mariadb://\(database.name)@127.0.0.1:\(port)/\(database.name)"
      func store(_ password: String?) throws -> any Store {
        try StoreAddress(url)
          .open(
            password: password.map { Secret($0.utf8) }, migrations: noteMigrations, logger: Logger(level: .error))
      }
      await expectUnavailable { _ = try await store("wrong").count }
      await expectUnavailable { _ = try await store(nil).count }
      let count = try await store("pw").count
      #expect(count == 0)
      try await TestDatabase.onServer("DROP USER \(database.name)@'127.0.0.1'")
    }
  }

  @Test("TLS is used where it is required, with a certificate for this host from a known authority alone")
  func tls() async throws {
    guard let certificate = StoreEngine.mariaDBCertificate else { try Test.cancel("no MariaDB with TLS") }
    try await withNotes { _, database in
      guard case .mariaDB(let address) = database.address, case .tcp(_, let port) = address.endpoint else { return }
      func cipher(_ host: String, _ options: String) async throws -> String? {
        try await StoreAddress("mariadb://\(address.user)@\(host):\(port)/\(database.name)\(options)")
          .open(migrations: noteMigrations, logger: Logger(level: .error))
          .read { try $0.first("SHOW STATUS LIKE 'Ssl_cipher'", [])?.text(1) }
      }
      let plain = try await cipher("127.0.0.1", "")
      let secured = try await cipher("localhost", "?tls=required&ca=\(certificate)")
      let otherHost = try await cipher("127.0.0.2", "")
      #expect(plain == "" && otherHost == "" && secured?.isEmpty == false)
      await expectUnavailable { _ = try await cipher("localhost", "?tls=required") }
      await expectUnavailable { _ = try await cipher("127.0.0.2", "?tls=required&ca=\(certificate)") }
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

  @Test(
    "a write that falls victim to a deadlock is run again, also where its body hides that", arguments: [false, true])
  func deadlock(_ hides: Bool) async throws {
    try await withNotes { store, _ in
      try await store.write { try $0.run("INSERT INTO notes (id, number) VALUES ('a', 1000), ('b', 2000)", []) }
      let runs = Atomic(0)
      let holders = Atomic(0)
      let write: @Sendable (String, String) async throws -> Void = { first, second in
        let update = "UPDATE notes SET number = number + 1 WHERE id = ?"
        try await store.write { connection in
          runs.add(1, ordering: .relaxed)
          try connection.run(update, [.text(first)])
          // Each holds one row before either asks for the other.
          holders.add(1, ordering: .relaxed)
          while holders.load(ordering: .relaxed) < 2 { sched_yield() }
          do {
            try connection.run(update, [.text(second)])
          } catch StoreError.conflict where hides {}
        }
      }
      async let one: Void = write("a", "b")
      async let other: Void = write("b", "a")
      _ = try await (one, other)
      #expect(runs.load(ordering: .relaxed) > 2)
      let numbers = try await store.read {
        try $0.query("SELECT number FROM notes ORDER BY id", []).map { try $0.integer(0) }
      }
      #expect(numbers == [1002, 2002])
    }
  }
}
