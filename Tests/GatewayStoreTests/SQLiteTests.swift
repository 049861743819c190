import GatewayBase
import GatewayStoreTesting
import Glibc
import Testing

@testable import GatewayStore

@Suite struct SQLiteTests {
  private func withNotes(_ body: (any Store, String) async throws -> Void) async throws {
    try await withStore(.sqlite, noteMigrations) { store, database in
      guard case .sqlite(let path) = database.address else { return }
      try await body(store, path)
    }
  }

  private func mode(_ path: String) -> UInt32? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test("the folder and the files are for their owner alone")
  func permissions() async throws {
    try await withNotes { store, path in
      try await store.write { try $0.run("INSERT INTO notes (id) VALUES ('a')", []) }
      #expect(mode(path) == 0o600)
      #expect(mode(path + "-wal") == 0o600)
      #expect(mode(String(path.dropLast("/gateway.db".count))) == 0o700)
    }
  }

  @Test("a folder that can't be made is unavailable, and is tried again on the next use")
  func noFolder() async throws {
    let database = try await TestDatabase(.sqlite)
    guard case .sqlite(let path) = database.address else { return }
    let folder = String(path.dropLast("/var/gateway.db".count))
    // A file stands where the folder should be.
    close(unsafe open(folder, O_CREAT | O_WRONLY, 0o600))
    let store = database.open(noteMigrations)
    do {
      _ = try await store.count
      Issue.record("there can be no store")
    } catch StoreError.unavailable {}
    unsafe unlink(folder)
    let count = try await store.count
    #expect(count == 0)
    await database.remove()
  }

  @Test("a damaged file is unavailable, and stays as it is")
  func damaged() async throws {
    let database = try await TestDatabase(.sqlite)
    guard case .sqlite(let path) = database.address else { return }
    try SQLiteFile.prepare(path)
    let descriptor = unsafe open(path, O_WRONLY)
    let text = [UInt8](repeating: 65, count: 8192)
    _ = unsafe text.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    do {
      try await database.open(noteMigrations).migrate()
      Issue.record("this is no database")
    } catch StoreError.unavailable {}
    var status = stat()
    unsafe stat(path, &status)
    #expect(status.st_size == 8192)
    await database.remove()
  }

  @Test("a read can't write")
  func readOnly() async throws {
    try await withNotes { store, _ in
      await #expect(throws: StoreError.self) {
        try await store.read { try $0.run("INSERT INTO notes (id) VALUES ('a')", []) }
      }
      let count = try await store.count
      #expect(count == 0)
    }
  }

  @Test("writes that wait share a commit, and one that fails takes none with it")
  func groupCommit() async throws {
    try await withNotes { store, path in
      // The writer waits for this foreign transaction, so that all writes come to lie in one batch.
      let other = try SQLiteConnection(path: path, role: .writer)
      try other.begin()
      async let first: Void = {
        _ = try await store.write { try $0.run("INSERT INTO notes (id) VALUES ('first')", []) }
      }()
      let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<30 {
          group.addTask {
            do {
              try await store.write { connection in
                try connection.run("INSERT INTO notes (id) VALUES (?)", [.text("n\(index)")])
                if index.isMultiple(of: 3) { throw CancellationError() }
              }
              return true
            } catch is CancellationError {
              return false
            }
          }
        }
        try other.commit()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await first
      #expect(outcomes.filter { $0 }.count == 20)
      let count = try await store.count
      #expect(count == 21)
    }
  }

  @Test("when the commit fails, every write of the batch is unavailable and none is there")
  func failedCommit() async throws {
    let migrations = [
      Migration(version: 1) { _ in
        [
          "CREATE TABLE notes (id TEXT PRIMARY KEY)",
          "CREATE TABLE child (id TEXT REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)",
        ]
      }
    ]
    try await withStore(.sqlite, migrations) { store, _ in
      do {
        try await store.write { connection in
          try connection.run("INSERT INTO notes (id) VALUES ('a')", [])
          // Checked by the commit alone.
          try connection.run("INSERT INTO child (id) VALUES ('none')", [])
        }
        Issue.record("the commit should have failed")
      } catch StoreError.unavailable {}
      let count = try await store.count
      #expect(count == 0)
      try await store.write { try $0.run("INSERT INTO notes (id) VALUES ('b')", []) }
    }
  }

  @Test("a full disk is unavailable, and the store goes on once there is room")
  func diskFull() async throws {
    try await withNotes { store, _ in
      let pages = try await store.write { try $0.first("PRAGMA page_count", [])?.integer(0) ?? 0 }
      try await store.write { _ = try $0.query("PRAGMA max_page_count = \(pages + 10)", []) }
      let insert: @Sendable (any Connection) throws -> Void = { connection in
        for index in 0..<200 {
          try connection.run(
            "INSERT INTO notes (id, raw) VALUES (?, ?)", [.text("\(index)"), .blob([UInt8](repeating: 1, count: 2000))])
        }
      }
      do {
        try await store.write(insert)
        Issue.record("the file should be full")
      } catch StoreError.unavailable {}
      var count = try await store.count
      #expect(count == 0)
      try await store.write { _ = try $0.query("PRAGMA max_page_count = 1000000", []) }
      try await store.write(insert)
      count = try await store.count
      #expect(count == 200)
    }
  }

  @Test("a body that hides a failure can't write outside its transaction")
  func hiddenFailure() async throws {
    try await withNotes { store, _ in
      do {
        try await store.write { connection in
          try connection.run("INSERT INTO notes (id) VALUES ('a')", [])
          // Stands for what SQLite does by itself when a disk is full.
          try connection.run("ROLLBACK", [])
          _ = try? connection.run("INSERT INTO notes (id) VALUES ('b')", [])
        }
        Issue.record("the transaction is gone")
      } catch StoreError.unavailable {}
      let count = try await store.count
      #expect(count == 0)
    }
  }

  @Test("GW-117 every connection has the write-ahead log, full sync, a busy timeout and foreign keys")
  func pragmas() async throws {
    try await withNotes { store, _ in
      let expected: [(String, SQLValue)] = [
        ("journal_mode", .text("wal")), ("synchronous", .integer(2)), ("foreign_keys", .integer(1)),
        ("busy_timeout", .integer(Int64(Limits.storeWait * 1000))),
      ]
      for (pragma, value) in expected {
        let body: @Sendable (any Connection) throws -> [SQLValue] = {
          try $0.query("PRAGMA \(pragma)", []).flatMap(\.values)
        }
        let (written, read) = (try await store.write(body), try await store.read(body))
        #expect(written == [value])
        #expect(read == [value])
      }
    }
  }

  @Test("GW-117 a reader held open lets writes go on, is warned of, and the log shrinks after it")
  func longReader() async throws {
    try await withNotes { _, path in
      let writer = try SQLiteConnection(path: path, role: .writer)
      let reader = try SQLiteConnection(path: path, role: .reader)
      try writer.run("INSERT INTO notes (id) VALUES ('seen')", [])
      try reader.run("BEGIN", [])
      #expect(try reader.query("SELECT id FROM notes", []).count == 1)
      // A chunk of writes is one commit of over 1,000 pages.
      func fill() throws {
        try writer.begin()
        for index in 0..<Limits.checkpointPages * 3 {
          try writer.run(
            "INSERT OR REPLACE INTO notes (id, raw) VALUES (?, ?)",
            [.text("\(index)"), .blob([UInt8](repeating: 1, count: 2000))])
        }
        try writer.commit()
      }
      try fill()
      #expect(writer.checkpoint() >= Limits.checkpointPages)
      #expect(try reader.query("SELECT id FROM notes", []).count == 1)
      try reader.run("COMMIT", [])
      try fill()
      #expect(writer.checkpoint() == 0)
      #expect(writer.checkpoint() == 0)
    }
  }
}
