import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite struct RevocationSetTests {
  private let later = UnixTime(seconds: 2_000_000_000)

  private func isRevoked(
    _ set: RevocationSet, jti: String = "j", user: String = "u", app: Int64 = 1, issued: Int64 = 100
  ) -> Bool {
    set.isRevoked(jti: jti, user: user, app: app, issuedAt: UnixTime(seconds: issued))
  }

  @Test("what begins after all of a user's tokens were ended has not ended, also within the same second")
  func endedSince() {
    let set = RevocationSet()
    let end = UnixTime(milliseconds: 1_790_000_000_300)
    set.add([Revocation(.user("u", app: 1, issuedUntil: end), expiresAt: end.adding(seconds: 600))])
    #expect(set.hasEnded(user: "u", app: 1, since: end))
    #expect(set.hasEnded(user: "u", app: 1, since: UnixTime(milliseconds: end.milliseconds - 1)))
    #expect(!set.hasEnded(user: "u", app: 1, since: UnixTime(milliseconds: end.milliseconds + 1)))
    #expect(!set.hasEnded(user: "u", app: 2, since: end) && !set.hasEnded(user: "v", app: 1, since: end))
  }

  @Test("a revoked token is that token alone")
  func token() {
    let set = RevocationSet()
    set.add([Revocation(.token(jti: "j"), expiresAt: later)])
    #expect(isRevoked(set))
    #expect(!isRevoked(set, jti: "k"))
  }

  @Test("a user's tokens are revoked in one app, up to the second of the revocation")
  func user() {
    let set = RevocationSet()
    set.add([Revocation(.user("u", app: 1, issuedUntil: UnixTime(milliseconds: 100_900)), expiresAt: later)])
    #expect(isRevoked(set, issued: 100))
    #expect(!isRevoked(set, issued: 101))
    #expect(!isRevoked(set, app: 2))
    #expect(!isRevoked(set, user: "v"))
    // An older one that arrives late takes nothing back.
    set.add([Revocation(.user("u", app: 1, issuedUntil: UnixTime(seconds: 50)), expiresAt: later)])
    #expect(isRevoked(set, issued: 100))
  }

  @Test("the version rises with news alone")
  func version() {
    let set = RevocationSet()
    let revocation = Revocation(.token(jti: "j"), expiresAt: later)
    let start = set.version
    set.add([])
    #expect(set.version == start)
    set.add([revocation])
    #expect(set.version == start + 1)
    set.add([revocation])
    #expect(set.version == start + 1)
  }

  @Test("whether an account is linked is what the latest change says, in whatever order they are learned")
  func links() {
    let set = RevocationSet()
    func isLinked(_ user: String = "u", app: Int64 = 1) -> Bool? {
      set.standing(jti: "j", user: user, app: app, issuedAt: UnixTime(seconds: 100)).isLinked
    }
    func learn(_ count: Int64) {
      set.add(TokenChanges(links: [LinkChange(user: "u", app: 1, count: count, expiresAt: later)]))
    }
    #expect(isLinked() == nil)
    learn(1)
    #expect(isLinked() == true && isLinked("v") == nil && isLinked(app: 2) == nil)
    let version = set.version
    learn(1)
    #expect(set.version == version, "what is known is no news")
    learn(2)
    #expect(isLinked() == false && set.version == version + 1)
    learn(1)
    #expect(isLinked() == false && set.version == version + 1)
    #expect(!isRevoked(set))
    set.prune(now: later)
    #expect(isLinked() == nil)
  }

  @Test("what has expired is forgotten")
  func pruning() {
    let set = RevocationSet()
    set.add([
      Revocation(.token(jti: "old"), expiresAt: UnixTime(seconds: 10)),
      Revocation(.token(jti: "new"), expiresAt: later),
      Revocation(.user("u", app: 1, issuedUntil: UnixTime(seconds: 5)), expiresAt: UnixTime(seconds: 10)),
    ])
    set.prune(now: UnixTime(seconds: 100))
    #expect(set.count == 1)
    #expect(isRevoked(set, jti: "new") && !isRevoked(set, jti: "old"))
  }
}

@Suite struct RevocationCursorTests {
  @Test("a number is passed for good only after the overlap")
  func overlap() {
    var cursor = RevocationCursor()
    cursor.polled(highest: 7, now: 1)
    cursor.polled(highest: 9, now: 2)
    #expect(cursor.position == 0)
    cursor.polled(highest: 9, now: 1 + RevocationCursor.overlap)
    #expect(cursor.position == 7)
    cursor.polled(highest: 9, now: 2 + RevocationCursor.overlap)
    #expect(cursor.position == 9)
    cursor.polled(highest: nil, now: 9 + RevocationCursor.overlap)
    #expect(cursor.position == 9)
  }
}

@Suite struct RevocationsTests {
  private func revocations(_ fixture: AccountFixture, on store: (any Store)? = nil) -> Revocations {
    Revocations(store: store ?? fixture.store, clock: fixture.clock, logger: fixture.logger)
  }

  private func isRevoked(_ node: Revocations, _ jti: String) -> Bool {
    node.known.isRevoked(jti: jti, user: "u", app: 1, issuedAt: UnixTime(seconds: 100))
  }

  @Test(
    "GW-107 a revocation holds at once where it was made, and on another node with its next poll",
    arguments: StoreEngine.allCases)
  func twoNodes(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let (here, there) = (revocations(fixture), revocations(fixture))
      let expiry = fixture.clock.now.adding(seconds: 604_800)
      try await there.poll()
      try await here.revoke(Revocation(.token(jti: "j"), expiresAt: expiry))
      try await here.revoke(Revocation(.user("v", app: 3, issuedUntil: fixture.clock.now), expiresAt: expiry))
      #expect(isRevoked(here, "j") && !isRevoked(there, "j"))
      try await there.poll()
      #expect(isRevoked(there, "j"))
      #expect(there.known.isRevoked(jti: "x", user: "v", app: 3, issuedAt: fixture.clock.now))
      // What is read again is no news.
      let version = there.known.version
      try await there.poll()
      #expect(there.known.version == version)
    }
  }

  @Test("another node learns of a link with its next poll, and nothing ends by it", arguments: StoreEngine.allCases)
  func linkFeed(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let node = revocations(scene.fixture)
      func isLinked(_ set: RevocationSet, _ user: String) -> Bool? {
        let standing = set.standing(jti: "j", user: user, app: 1, issuedAt: scene.fixture.clock.now)
        #expect(!standing.isRevoked)
        return standing.isLinked
      }
      let local = try await scene.accounts.signIn(identity()).account.id
      for count in 1...2 {
        try await scene.link(local, try await scene.speedToken())
        #expect(isLinked(scene.fixture.known, local) == true)
        #expect(isLinked(node.known, local) == (count == 1 ? nil : false))
        try await node.poll()
        #expect(isLinked(node.known, local) == true)
        try await scene.accounts.unlink(user: local, app: 1, from: .none)
        #expect(isLinked(scene.fixture.known, local) == false)
        try await node.poll()
        #expect(isLinked(node.known, local) == false)
      }
    }
  }

  @Test("a row that becomes visible after one with a higher number is not missed", arguments: StoreEngine.allCases)
  func lateCommit(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let node = revocations(fixture)
      let sql = "INSERT INTO revocations (seq, jti, expires_at) VALUES (?, ?, ?)"
      let expiry = SQLValue.integer(fixture.clock.now.adding(seconds: 600).milliseconds)
      try await fixture.run(sql, [.integer(20), .text("early"), expiry])
      try await node.poll()
      try await node.poll()
      try await fixture.run(sql, [.integer(10), .text("late"), expiry])
      try await node.poll()
      #expect(isRevoked(node, "early") && isRevoked(node, "late"))
    }
  }

  @Test("a node that starts learns all that has not expired, over several pages", arguments: StoreEngine.allCases)
  func start(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let now = fixture.clock.now
      try await fixture.store.write { connection in
        for index in 0..<2500 {
          try Revocation(.token(jti: "j\(index)"), expiresAt: now.adding(seconds: 60)).insert(on: connection)
        }
        try Revocation(.token(jti: "old"), expiresAt: now.adding(seconds: -1)).insert(on: connection)
      }
      let node = revocations(fixture)
      try await node.poll()
      #expect(node.known.count == 2500)
    }
  }

  @Test("a node that begins knows what is in the store, and a store that is not there knows of nothing")
  func begins() async throws {
    try await withAccounts(.sqlite) { fixture in
      let expiry = fixture.clock.now.adding(seconds: 60)
      try await revocations(fixture).revoke(Revocation(.token(jti: "j"), expiresAt: expiry))
      let node = revocations(fixture, on: fixture.database.open(IdentitySchema.migrations))
      await node.begin()
      #expect(isRevoked(node, "j"))
    }
    let database = try await TestDatabase(.sqlite)
    let absent = database.open(IdentitySchema.migrations)
    await Revocations(store: absent, clock: TestClock(), logger: Logger(level: .error)).begin()
    #expect(try await absent.inspect() == nil, "it was not made for that")
  }

  @Test("with the store gone a revocation is refused, and what is known stays")
  func storeGone() async throws {
    let url = try StoreAddress("mariadb://u@127.0.0.1:1/d")
    let logger = Logger(level: .error)
    let node = Revocations(
      store: url.open(migrations: IdentitySchema.migrations, logger: logger), clock: TestClock(), logger: logger)
    let expiry = UnixTime(seconds: 2_000_000_000)
    node.known.add([Revocation(.token(jti: "known"), expiresAt: expiry)])
    await #expect(throws: Refusal.storeUnavailable) {
      try await node.revoke(Revocation(.token(jti: "j"), expiresAt: expiry))
    }
    await #expect(throws: StoreError.self) { try await node.poll() }
    #expect(isRevoked(node, "known") && !isRevoked(node, "j"))
  }

  @Test("the task of a node reads what others write until it is cancelled")
  func task() async throws {
    try await withAccounts(.sqlite) { fixture in
      let (here, there) = (revocations(fixture), revocations(fixture))
      let task = Task { await there.run() }
      try await here.revoke(Revocation(.token(jti: "j"), expiresAt: fixture.clock.now.adding(seconds: 60)))
      while !isRevoked(there, "j") { await Task.yield() }
      task.cancel()
      await task.value
    }
  }
}

@Suite struct ExpiryPrunerTests {
  @Test("what has expired goes in batches, what has not stays", arguments: StoreEngine.allCases)
  func prune(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let now = fixture.clock.now
      try await fixture.store.write { connection in
        for index in 0..<1200 {
          let digest = [UInt8](repeating: 0, count: 28) + withBigEndian(UInt32(index))
          let expiry = now.adding(seconds: index < 1100 ? -1000 - Int64(index % 7) : 60)
          try ReplayLedger.burn(ReplayKey(digest: digest, expiresAt: expiry), on: connection)
        }
        try Revocation(.token(jti: "old"), expiresAt: now.adding(seconds: -1000)).insert(on: connection)
        try Revocation(.token(jti: "new"), expiresAt: now.adding(seconds: 60)).insert(on: connection)
      }
      let pruner = ExpiryPruner(store: fixture.store, auditKeep: nil, clock: fixture.clock, logger: fixture.logger)
      let removed = try await pruner.prune()
      #expect(removed == 1101)
      let burnt = try await fixture.count("SELECT COUNT(*) FROM burnt_credentials")
      let revoked = try await fixture.count("SELECT COUNT(*) FROM revocations")
      #expect(burnt == 100 && revoked == 1)
    }
  }

  @Test(
    "old entries of the audit go in batches, young ones stay, and all of them where they are kept for ever",
    arguments: StoreEngine.allCases)
  func audit(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let now = fixture.clock.now
      try await fixture.store.write { connection in
        for index in 0..<1200 {
          let time = now.adding(seconds: index < 1100 ? -86_401 - Int64(index % 7) : -86_399)
          try AuditEntry(.signIn, app: 1, user: "u", by: .user).insert(at: time, on: connection)
        }
      }
      func prune(keep: Int64?) async throws -> Int {
        try await ExpiryPruner(store: fixture.store, auditKeep: keep, clock: fixture.clock, logger: fixture.logger)
          .prune()
      }
      #expect(try await prune(keep: nil) == 0)
      #expect(try await prune(keep: 2 * 86_400) == 0)
      #expect(try await prune(keep: 86_400) == 1100)
      #expect(try await fixture.count("SELECT COUNT(*) FROM audit") == 100)
    }
  }

  private func withBigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
