import GatewayBase
import GatewayIO
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Records of providers") struct ProviderRecordTests {
  typealias Change = ProviderRecords.Change

  private func records(_ fixture: AccountFixture, keys: SealingKeys? = nil) -> ProviderRecords {
    ProviderRecords(store: fixture.store, keys: keys ?? fixture.keys, clock: fixture.clock)
  }

  private func put(
    _ key: String, _ text: String, if condition: Change.Condition = .any, expiresAt: UnixTime? = nil
  ) -> Change {
    Change(key: key, value: Array(text.utf8), condition: condition, expiresAt: expiresAt)
  }

  private func texts(_ records: [ProviderRecords.Record?]) -> [String?] {
    records.map { $0.map { String(decoding: $0.value, as: UTF8.self) } }
  }

  @Test("what is put is there, in the order of the question, for its provider alone", arguments: StoreEngine.allCases)
  func keeps(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let records = records(fixture)
      #expect(try await records.commit([put("b", "two"), put("a", "one"), put("c", "")], of: "p"))
      #expect(texts(try await records.records(["c", "a", "none", "b"], of: "p")) == ["", "one", nil, "two"])
      #expect(texts(try await records.records(["a"], of: "q")) == [nil])
      #expect(try await records.records([], of: "p").isEmpty)
      #expect(try await records.commit([], of: "p"))
      let large = [UInt8](repeating: 7, count: Limits.record)
      #expect(try await records.commit([Change(key: "l", value: large, condition: .absent)], of: "p"))
      let long = try #require(try await records.records(["l"], of: "p")[0])
      #expect(long.value == large)
      #expect(
        try await records.commit([Change(key: "a", value: nil, condition: .any), put("b", "2")], of: "p"))
      #expect(texts(try await records.records(["a", "b"], of: "p")) == [nil, "2"])
    }
  }

  @Test("a set is made as a whole or not at all", arguments: StoreEngine.allCases)
  func conditions(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let records = records(fixture)
      #expect(try await records.commit([put("a", "1", if: .absent)], of: "p"))
      let first = try #require(try await records.records(["a"], of: "p")[0])
      #expect(try await !records.commit([put("x", "1"), put("a", "2", if: .absent)], of: "p"))
      #expect(try await !records.commit([put("x", "1"), put("a", "2", if: .version(first.version + 1))], of: "p"))
      #expect(try await !records.commit([put("x", "1"), put("y", "2", if: .version(first.version))], of: "p"))
      #expect(texts(try await records.records(["a", "x", "y"], of: "p")) == ["1", nil, nil])
      #expect(try await records.commit([put("a", "2", if: .version(first.version))], of: "p"))
      let second = try #require(try await records.records(["a"], of: "p")[0])
      #expect(second.version > first.version)
      #expect(try await !records.commit([put("a", "3", if: .version(first.version))], of: "p"))
      let gone = Change(key: "a", value: nil, condition: .version(second.version))
      #expect(try await records.commit([gone], of: "p"))
      #expect(try await !records.commit([gone], of: "p"))
      // Written anew in the same millisecond, it is not what it was.
      #expect(try await records.commit([put("a", "2", if: .absent)], of: "p"))
      #expect(try await !records.commit([gone], of: "p"))
    }
  }

  @Test("what has expired is not there, makes room, and is removed", arguments: StoreEngine.allCases)
  func expiry(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let records = records(fixture)
      let end = fixture.clock.now.adding(seconds: 60)
      #expect(
        try await records.commit(
          [put("a", "1", expiresAt: end), put("b", "1", expiresAt: end), put("c", "stays")], of: "p"))
      let old = try #require(try await records.records(["a"], of: "p")[0])
      fixture.clock.advance(seconds: 60)
      #expect(texts(try await records.records(["a", "c"], of: "p")) == [nil, "stays"])
      #expect(try await !records.commit([put("a", "2", if: .version(old.version))], of: "p"))
      #expect(try await records.commit([put("a", "2", if: .absent)], of: "p"))
      let new = try #require(try await records.records(["a"], of: "p")[0])
      #expect(new.version > old.version)
      fixture.clock.advance(seconds: 400)
      let pruner = ExpiryPruner(store: fixture.store, auditKeep: nil, clock: fixture.clock, logger: fixture.logger)
      try await pruner.prune()
      #expect(try await fixture.count("SELECT COUNT(*) FROM provider_records") == 2)
    }
  }

  @Test("of many at once that want to be first one is, and no change of many is lost", arguments: StoreEngine.allCases)
  func races(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let records = records(fixture)
      let firsts = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<12 {
          group.addTask {
            try await records.commit([put("a", "\(index)", if: .absent), put("b\(index % 3)", "x")], of: "p")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(firsts.count { $0 } == 1)
      #expect(try await records.commit([put("n", "0")], of: "p"))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            while true {
              let record = try #require(try await records.records(["n"], of: "p")[0])
              let number = try #require(Int(String(decoding: record.value, as: UTF8.self)))
              if try await records.commit([put("n", "\(number + 1)", if: .version(record.version))], of: "p") { return }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(texts(try await records.records(["n"], of: "p")) == ["8"])
    }
  }

  @Test("the content is sealed, and opens under its own key and provider alone", arguments: StoreEngine.allCases)
  func sealing(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let records = records(fixture)
      #expect(try await records.commit([put("a", "ada@example.org"), put("b", "other")], of: "p"))
      let stored = try await fixture.store.read {
        try $0.first("SELECT value FROM provider_records WHERE record_key = 'a'", [])?.blob(0) ?? []
      }
      #expect(!String(decoding: stored, as: UTF8.self).contains("ada"))
      try await fixture.run("UPDATE provider_records SET value = ? WHERE record_key = 'b'", [.blob(stored)])
      await #expect(throws: ProviderRecords.Failure.sealed) { try await records.records(["b"], of: "p") }
      let stranger = self.records(fixture, keys: SealingKeys(.generate()))
      await #expect(throws: ProviderRecords.Failure.sealed) { try await stranger.records(["a"], of: "p") }
    }
  }

  @Test(
    "a new sealing key comes to all records, after which the old one is not needed", arguments: StoreEngine.allCases)
  func sealingAnew(_ engine: StoreEngine) async throws {
    let path = "/tmp/sealing-\(UUIDText.random())"
    let keys = try SealingKeys(folder: path)
    let folder = try #require(try PrivateFolder(existing: path))
    defer {
      try? folder.exclusively { changes throws(PrivateFolder.Problem) in
        for name in try folder.names() + [".lock"] { try changes.remove(name) }
      }
      removeFolder(path)
    }
    try await withAccounts(engine) { fixture in
      let records = records(fixture, keys: keys)
      for start in stride(from: 0, to: 224, by: 32) {
        let isKept = try await records.commit((start..<start + 32).map { put("k\($0)", "\($0)") }, of: "p")
        #expect(isKept)
      }
      let before = try #require(try await records.records(["k7"], of: "p")[0])
      #expect(try await records.sealAnew() == 0)
      let old = try folder.names()
      try keys.rotate()
      #expect(try await records.commit([put("k0", "new")], of: "p"))
      #expect(try await records.sealAnew() == 223)
      #expect(try await records.sealAnew() == 0)
      try folder.exclusively { changes throws(PrivateFolder.Problem) in for name in old { try changes.remove(name) } }
      let later = self.records(fixture, keys: try SealingKeys(folder: path))
      #expect(try await later.records(["k7"], of: "p") == [before])
      #expect(texts(try await later.records(["k0", "k223"], of: "p")) == ["new", "223"])
    }
  }

  @Test("keys that are none, keys named twice, too much and too many are refused")
  func bounds() async throws {
    try await withAccounts(.sqlite) { fixture in
      let records = records(fixture)
      for key in ["", " ", "a b", "ä", "a\u{7F}", "a\n", String(repeating: "k", count: 201)] {
        await #expect(throws: ProviderRecords.Failure.key) { try await records.records([key], of: "p") }
        await #expect(throws: ProviderRecords.Failure.key) { try await records.commit([put(key, "")], of: "p") }
      }
      await #expect(throws: ProviderRecords.Failure.key) {
        try await records.commit([put("a", "1"), put("a", "2")], of: "p")
      }
      let large = [UInt8](repeating: 0, count: Limits.record + 1)
      await #expect(throws: ProviderRecords.Failure.tooLarge) {
        try await records.commit([Change(key: "a", value: large, condition: .any)], of: "p")
      }
      let many = (0...Limits.records).map { put("k\($0)", "") }
      await #expect(throws: ProviderRecords.Failure.tooMany) { try await records.commit(many, of: "p") }
      await #expect(throws: ProviderRecords.Failure.tooMany) { try await records.records(many.map(\.key), of: "p") }
      let isKept = try await records.commit(Array(many.dropFirst()), of: "p")
      #expect(isKept)
    }
  }
}
