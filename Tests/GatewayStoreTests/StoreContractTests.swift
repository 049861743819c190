import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

/// A table with all kinds of columns.
let noteMigrations = [
  Migration(version: 1) { dialect in
    [
      """
      CREATE TABLE IF NOT EXISTS notes (
        id \(dialect.text(64)) NOT NULL PRIMARY KEY, number \(dialect.integer), body \(dialect.text(2000)),
        raw \(dialect.bytes(2000)), UNIQUE (number))
      """
    ]
  }
]

/// What every engine promises. A case without its engine is reported as skipped.
@Suite struct StoreContractTests {
  private func withNotes(
    _ engine: StoreEngine, _ body: (any Store, TestDatabase) async throws -> Void
  ) async throws {
    if let reason = engine.reasonToSkip { try Test.cancel("\(reason)") }
    try await withStore(engine, noteMigrations, body)
  }

  @Test("values of every kind come back as they went in", arguments: StoreEngine.allCases)
  func roundTrip(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      let rows: [[SQLValue]] = [
        [.text("empty"), .integer(0), .text(""), .blob([])],
        [.text("null"), .null, .null, .null],
        [.text("least"), .integer(.min), .text("a\u{0}b"), .blob([0, 0xFF, 0, 39, 92])],
        [.text("most"), .integer(.max), .text("Zoë 🚲 ✨ Ω 👩‍👩‍👧‍👦 'quoted' \\ % _"), .blob(Array(0...255))],
        [
          .text("long"), .integer(7), .text(String(repeating: "é", count: 2000)),
          .blob([UInt8](repeating: 9, count: 2000)),
        ],
      ]
      try await store.write { connection in
        for row in rows { try connection.run("INSERT INTO notes (id, number, body, raw) VALUES (?, ?, ?, ?)", row) }
      }
      for row in rows {
        let found = try await store.read { connection in
          try connection.query("SELECT id, number, body, raw FROM notes WHERE id = ?", [row[0]])
        }
        #expect(found.map(\.values) == [row])
      }
    }
  }

  @Test("text keys are compared byte by byte", arguments: StoreEngine.allCases)
  func bytewiseKeys(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      let keys = ["a", "A", "a ", "á", "a\u{301}", "\u{e1}b", "ß", "ss", ""]
      try await store.write { connection in
        for key in keys { try connection.run("INSERT INTO notes (id) VALUES (?)", [.text(key)]) }
      }
      let count = try await store.read { try $0.first("SELECT COUNT(*) FROM notes WHERE id = 'a'", [])?.integer(0) }
      #expect(count == 1)
      let sorted = try await store.read { try $0.query("SELECT id FROM notes ORDER BY id", []).map { try $0.text(0) } }
      #expect(sorted.map { Array($0.utf8) } == keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  @Test("run says how many rows it matched, changed or not", arguments: StoreEngine.allCases)
  func matchedRows(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      let counts = try await store.write { connection in
        [
          try connection.run(
            "INSERT INTO notes (id, number) VALUES (?, ?), (?, ?)", [.text("a"), .integer(1), .text("b"), .integer(2)]),
          try connection.run("UPDATE notes SET number = 1 WHERE id = ?", [.text("a")]),
          try connection.run("DELETE FROM notes WHERE id = ?", [.text("none")]),
          try connection.run("DELETE FROM notes", []),
        ]
      }
      #expect(counts == [2, 1, 0, 2])
    }
  }

  @Test("a body that throws leaves nothing, and its own error comes out", arguments: StoreEngine.allCases)
  func rollBack(_ engine: StoreEngine) async throws {
    struct OfTheBody: Error {}
    try await withNotes(engine) { store, _ in
      await #expect(throws: OfTheBody.self) {
        try await store.write { connection in
          try connection.run("INSERT INTO notes (id) VALUES ('a')", [])
          throw OfTheBody()
        }
      }
      let count = try await store.count
      #expect(count == 0)
    }
  }

  @Test("a repeated key is a unique violation, after which the transaction goes on", arguments: StoreEngine.allCases)
  func uniqueViolation(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      try await store.write { connection in
        try connection.run("INSERT INTO notes (id, number) VALUES ('kept', 1)", [])
        for (id, number) in [("kept", 2), ("other", 1)] as [(String, Int64)] {
          do {
            try connection.run("INSERT INTO notes (id, number) VALUES (?, ?)", [.text(id), .integer(number)])
            Issue.record("a repeated key was accepted")
          } catch StoreError.uniqueViolation(let key) {
            #expect(!key.contains("kept"))
          }
        }
        try connection.run("INSERT INTO notes (id, number) VALUES ('third', 3)", [])
      }
      #expect(try await store.count == 2)
    }
  }

  @Test(
    "of many writers of one key exactly one wins, and the others can read what it wrote",
    arguments: StoreEngine.allCases)
  func oneWinner(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      let outcomes = try await withThrowingTaskGroup(of: (won: Bool, seen: Int64).self) { group in
        for index in 0..<20 {
          group.addTask {
            try await store.write { connection in
              do {
                try connection.run("INSERT INTO notes (id, number) VALUES ('one', ?)", [.integer(Int64(index))])
                return (true, Int64(index))
              } catch StoreError.uniqueViolation {
                guard let row = try connection.first("SELECT number FROM notes WHERE id = 'one'", []) else {
                  throw StoreError.sql("the winner's row is not to be seen")
                }
                return (false, try row.integer(0))
              }
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.filter(\.won).count == 1)
      #expect(Set(outcomes.map(\.seen)).count == 1)
    }
  }

  @Test("increments from many writers add up", arguments: StoreEngine.allCases)
  func increments(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      try await store.write { try $0.run("INSERT INTO notes (id, number) VALUES ('sum', 0)", []) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            _ = try await store.write { try $0.run("UPDATE notes SET number = number + 1 WHERE id = 'sum'", []) }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.read { try $0.first("SELECT number FROM notes", [])?.integer(0) } == 50)
      #expect(try await store.read { try $0.first("SELECT SUM(number) FROM notes", [])?.integer(0) } == 50)
    }
  }

  @Test("writes that meet crosswise are run again until both are done", arguments: StoreEngine.allCases)
  func deadlocks(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      try await store.write { try $0.run("INSERT INTO notes (id, number) VALUES ('a', 1000), ('b', 2000)", []) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<24 {
          let ids = index.isMultiple(of: 2) ? ["a", "b"] : ["b", "a"]
          group.addTask {
            try await store.write { connection in
              for id in ids { try connection.run("UPDATE notes SET number = number + 1 WHERE id = ?", [.text(id)]) }
            }
          }
        }
        try await group.waitForAll()
      }
      let numbers = try await store.read {
        try $0.query("SELECT number FROM notes ORDER BY id", []).map { try $0.integer(0) }
      }
      #expect(numbers == [1024, 2024])
    }
  }

  @Test("a wrong statement is an error without values, and the store goes on", arguments: StoreEngine.allCases)
  func wrongStatements(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      let wrong: [(String, [SQLValue])] = [
        ("SELEKT 1", []), ("SELECT * FROM nowhere", []), ("SELECT id FROM notes WHERE id = ?", []),
        ("INSERT INTO notes (id) VALUES (?)", [.null]),
      ]
      for (sql, arguments) in wrong {
        do {
          try await store.write { _ = try $0.query(sql, arguments) }
          Issue.record("\(sql) was accepted")
        } catch StoreError.sql {}
      }
      if engine == .mariaDB {  // SQLite knows no lengths.
        let secret = String(repeating: "secret", count: 20)
        do {
          try await store.write { try $0.run("INSERT INTO notes (id) VALUES (?)", [.text(secret)]) }
        } catch StoreError.sql(let message) {
          #expect(!message.contains("secret"))
        }
      }
      #expect(try await store.count == 0)
    }
  }

  @Test("a getter refuses another kind of value and a column that is not there", arguments: StoreEngine.allCases)
  func getters(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, _ in
      try await store.write { try $0.run("INSERT INTO notes (id, number) VALUES ('a', 1)", []) }
      let row = try #require(try await store.read { try $0.first("SELECT id, number, body FROM notes", []) })
      #expect(try row.text(0) == "a")
      #expect(try row.flag(1))
      #expect(try row.optionalText(2) == nil)
      #expect(throws: StoreError.self) { try row.integer(0) }
      #expect(throws: StoreError.self) { try row.text(2) }
      #expect(throws: StoreError.self) { try row.blob(3) }
      #expect(throws: StoreError.self) { try row.integer(-1) }
    }
  }

  @Test("what was written is there for a store that opens later", arguments: StoreEngine.allCases)
  func durable(_ engine: StoreEngine) async throws {
    try await withNotes(engine) { store, database in
      try await store.write { try $0.run("INSERT INTO notes (id) VALUES ('a')", []) }
      #expect(try await database.open(noteMigrations).count == 1)
    }
  }
}

extension Store {
  var count: Int64? {
    get async throws { try await read { try $0.first("SELECT COUNT(*) FROM notes", [])?.integer(0) } }
  }
}
