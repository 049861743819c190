import GatewayBase
import GatewayStore
import Glibc

/// An engine that a contract suite runs on, as an argument of its tests.
package enum StoreEngine: String, Sendable, CaseIterable {
  case sqlite, mariaDB

  /// Why the engine can't be tested here, or nil where it can.
  package var reasonToSkip: String? {
    self == .mariaDB && Self.mariaDBURL == nil ? "no MariaDB: run under scripts/with-mariadb" : nil
  }

  /// The server that `scripts/with-mariadb` has started.
  package static var mariaDBURL: String? { variable("SPEED_TEST_MARIADB") }

  /// The certificate by which that server is known.
  package static var mariaDBCertificate: String? { variable("SPEED_TEST_MARIADB_CA") }

  static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}

/// A new, empty database for one test: a file in a folder of its own, or a database of the server.
package struct TestDatabase: Sendable {
  package let address: StoreAddress
  package let name: String
  private let folder: String?

  package init(_ engine: StoreEngine) async throws {
    name = "speed_test_" + Hex.encode(UUIDText.random().bytes)
    switch engine {
    case .sqlite:
      let folder = "\(StoreEngine.variable("TMPDIR") ?? "/tmp")/\(name)"
      self.folder = folder
      address = try StoreAddress("sqlite:\(folder)/var/gateway.db")
    case .mariaDB:
      folder = nil
      address = try StoreAddress(Self.url(of: name))
      try await Self.onServer("CREATE DATABASE \(name)")
    }
  }

  /// A store on this database; several may be open at once, as on several nodes.
  package func open(_ migrations: [Migration]) -> any Store {
    address.open(migrations: migrations, logger: Logger(level: .error))
  }

  /// Removes the database.
  package func remove() async {
    if let folder {
      for file in ["gateway.db", "gateway.db-wal", "gateway.db-shm"] { unsafe unlink("\(folder)/var/\(file)") }
      unsafe rmdir("\(folder)/var")
      unsafe rmdir(folder)
    } else {
      try? await Self.onServer("DROP DATABASE \(name)")
    }
  }

  /// Runs a statement on the test server, outside any database of a test.
  package static func onServer(_ sql: String) async throws {
    guard let url = StoreEngine.mariaDBURL else { throw StoreError.unavailable("there is no MariaDB to test with") }
    _ = try await StoreAddress(url).open(migrations: [], logger: Logger(level: .error)).read {
      try $0.query(sql, [])
    }
  }

  private static func url(of database: String) -> String {
    let url = StoreEngine.mariaDBURL ?? ""
    let base = url.lastIndex(of: "/").map { url[..<$0] } ?? url[...]
    return "\(base)/\(database)"
  }
}

/// Runs `body` with a store on a new database, which is removed afterwards.
package func withStore(
  _ engine: StoreEngine, _ migrations: [Migration], _ body: (any Store, TestDatabase) async throws -> Void
) async throws {
  let database = try await TestDatabase(engine)
  do {
    let store = database.open(migrations)
    try await store.migrate()
    try await body(store, database)
  } catch {
    await database.remove()
    throw error
  }
  await database.remove()
}
