import GatewayStore
import GatewayStoreTesting
import Testing

@Suite struct MigrationTests {
  private static let first = Migration(version: 1) { dialect in
    ["CREATE TABLE IF NOT EXISTS notes (id \(dialect.text(64)) NOT NULL PRIMARY KEY)"]
  }
  private static let second = Migration(version: 2) { dialect in
    [
      "CREATE TABLE IF NOT EXISTS more (seq \(dialect.sequence), id \(dialect.text(64)) NOT NULL)",
      "CREATE INDEX IF NOT EXISTS more_id ON more (id)",
    ]
  }

  private func withDatabase(_ engine: StoreEngine, _ body: (TestDatabase) async throws -> Void) async throws {
    if let reason = engine.reasonToSkip { try Test.cancel("\(reason)") }
    try await withStore(engine, []) { _, database in try await body(database) }
  }

  @Test("each step runs once, and a later release adds only its own", arguments: StoreEngine.allCases)
  func steps(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      let early = try await database.open([Self.first]).migrate()
      let late = try await database.open([Self.first, Self.second]).migrate()
      let again = try await database.open([Self.first, Self.second]).migrate()
      #expect([early, late, again] == [[1], [2], []])
    }
  }

  @Test("the first use migrates by itself", arguments: StoreEngine.allCases)
  func firstUse(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.open([Self.first]).write { try $0.run("INSERT INTO notes (id) VALUES ('a')", []) }
      let count = try await database.open([Self.first]).count
      #expect(count == 1)
    }
  }

  @Test("a schema from a later release is a clear error, and nothing is touched", arguments: StoreEngine.allCases)
  func tooNew(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.open([Self.first, Self.second]).migrate()
      let old = database.open([Self.first])
      await #expect(throws: StoreError.schemaTooNew(found: 2, known: 1)) { try await old.migrate() }
      await #expect(throws: StoreError.schemaTooNew(found: 2, known: 1)) {
        try await old.read { try $0.query("SELECT 1", []) }
      }
    }
  }

  @Test("an inspection tells the schema's version and changes nothing", arguments: StoreEngine.allCases)
  func inspection(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.open([Self.first]).migrate()
      let store = database.open([Self.first, Self.second])
      for _ in 1...2 {
        let state = try #require(try await store.inspect())
        #expect(state.version == 1 && state.known == 2)
        #expect(state.engine.hasPrefix(engine == .sqlite ? "SQLite 3." : "MariaDB "))
      }
      // A schema that is too new is a finding here, no error.
      try await store.migrate()
      #expect(try await database.open([Self.first]).inspect()?.version == 2)
    }
  }

  @Test(
    "an inspection of a new database tells version 0, or that SQLite's file is absent", arguments: StoreEngine.allCases)
  func inspectionOfNothing(_ engine: StoreEngine) async throws {
    if let reason = engine.reasonToSkip { try Test.cancel("\(reason)") }
    let database = try await TestDatabase(engine)
    for _ in 1...2 {
      let state = try? await database.open([Self.first]).inspect()
      #expect(state?.version == (engine == .sqlite ? nil : 0))
    }
    await database.remove()
  }

  @Test("nodes that migrate at once apply each step once between them", arguments: StoreEngine.allCases)
  func atOnce(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<6 { group.addTask { try await database.open([Self.first, Self.second]).migrate() } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(applied.sorted() == [1, 2])
    }
  }

  @Test("a step that was cut short runs again from its start", arguments: StoreEngine.allCases)
  func cutShort(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      let broken = Migration(version: 2) { Self.second.statements($0) + ["SELEKT 1"] }
      await #expect(throws: StoreError.self) { try await database.open([Self.first, broken]).migrate() }
      let applied = try await database.open([Self.first, Self.second]).migrate()
      #expect(applied.last == 2)
    }
  }

  @Test("the numbers of a sequence rise", arguments: StoreEngine.allCases)
  func sequence(_ engine: StoreEngine) async throws {
    try await withDatabase(engine) { database in
      let store = database.open([Self.first, Self.second])
      try await store.write { connection in
        for id in ["a", "b"] { try connection.run("INSERT INTO more (id) VALUES (?)", [.text(id)]) }
        try connection.run("DELETE FROM more WHERE id = 'b'", [])
        try connection.run("INSERT INTO more (id) VALUES ('c')", [])
      }
      let numbers = try await store.read {
        try $0.query("SELECT seq FROM more ORDER BY id", []).map { try $0.integer(0) }
      }
      #expect(numbers == [1, 3])
    }
  }
}
