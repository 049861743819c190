import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

/// A store that can be taken away.
private struct FaultyStore: Store {
  let inner: any Store
  let isGone = Locked(false)

  private func check() throws { if isGone.withLock({ $0 }) { throw StoreError.unavailable("gone") } }

  func read<Result: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Result) async throws -> Result {
    try check()
    return try await inner.read(body)
  }

  func write<Result: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Result) async throws -> Result {
    try check()
    return try await inner.write(body)
  }

  func migrate() async throws -> [Int] { try await inner.migrate() }
  func inspect() async throws -> SchemaState? { try await inner.inspect() }
}

/// One node: what it knows of revocations, and its tickets.
private struct Node {
  let revocations: Revocations
  let tickets: Tickets

  init(_ fixture: AccountFixture, on store: any Store) {
    revocations = Revocations(store: store, clock: fixture.clock, logger: fixture.logger)
    tickets = Tickets(store: store, known: revocations.known, clock: fixture.clock, logger: fixture.logger)
  }

  func admits(_ token: AccessToken, _ clock: any WallClock) -> Bool { tickets.admit(token, now: clock.now) }

  /// Waits until what is noted is in the store.
  func told() async { while tickets.waiting > 0 { await Task.yield() } }
}

@Suite("Tickets: tokens that end unless they are used in time") struct TicketTests {
  private func token(_ clock: TestClock, id: String = "j", lifetime: Int64 = 604_800, isTicket: Bool = true)
    -> AccessToken
  {
    let now = clock.now
    return AccessToken(
      issuer: "i", userID: "u", appID: 1, issuedAt: now, expiresAt: now.adding(seconds: lifetime), id: id,
      role: "app-user", isLocal: true, uuid: "x", useBy: isTicket ? now.adding(seconds: Limits.ticket) : nil,
      keyID: "k")
  }

  @Test("the claim says until when to the millisecond, is read back, and is nowhere else")
  func claim() throws {
    let folder = try TemporaryFolder()
    let clock = TokenClock()
    let issuer = AccessTokenIssuer(
      keys: try SigningKeys(folder: folder.keys, clock: clock), issuer: "https://api.example.com", clock: clock)
    func issue(_ seconds: Int64?) throws -> AccessToken {
      try issuer.issue(userID: "u", appID: 1, role: "r", isLocal: true, uuid: "x", useWithin: seconds).token
    }
    let ticket = try issue(60)
    #expect(ticket.useBy == clock.now.adding(seconds: 60))
    #expect(AccessToken(claims: ticket.claims, keyID: ticket.keyID)?.useBy == ticket.useBy)
    let other = try issue(nil)
    #expect(other.useBy == nil && !String(decoding: other.claims, as: UTF8.self).contains("use_by"))
    let claims = String(decoding: ticket.claims, as: UTF8.self)
    for value in ["\"1\"", "null", "1.5"] {
      let text = claims.replacing(/"use_by":[0-9]+/, with: "\"use_by\":\(value)")
      #expect(AccessToken(claims: Array(text.utf8), keyID: "k") == nil, "\(value)")
    }
  }

  @Test("one that was used in time stays good, one that was not ends with its time", arguments: StoreEngine.allCases)
  func inTime(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let (node, clock) = (Node(fixture, on: fixture.store), fixture.clock)
      try await node.revocations.poll()
      let (used, late, plain) = (token(clock), token(clock, id: "l"), token(clock, id: "p", isTicket: false))
      clock.advance(seconds: 59)
      #expect(node.admits(used, clock))
      clock.advance(seconds: 1)
      #expect(node.admits(used, clock) && !node.admits(late, clock) && node.admits(plain, clock))
      clock.advance(seconds: 600_000)
      #expect(node.admits(used, clock) && !node.admits(late, clock) && node.admits(plain, clock))
      await node.told()
      #expect(try await fixture.count("SELECT COUNT(*) FROM revocations") == 1)
    }
  }

  @Test("another node learns of a use with its next poll, and one that begins later knows it")
  func otherNodes() async throws {
    try await withAccounts(.sqlite) { fixture in
      let clock = fixture.clock
      let (here, there) = (Node(fixture, on: fixture.store), Node(fixture, on: fixture.store))
      try await there.revocations.poll()
      let (used, late) = (token(clock), token(clock, id: "l"))
      #expect(here.admits(used, clock))
      await here.told()
      try await there.revocations.poll()
      let version = there.revocations.known.version
      clock.advance(seconds: 61)
      #expect(there.admits(used, clock) && !there.admits(late, clock))
      #expect(version == there.revocations.known.version, "tokens that were admitted need no second look")
      let later = Node(fixture, on: fixture.store)
      await later.revocations.begin()
      #expect(later.admits(used, clock) && !later.admits(late, clock))
    }
  }

  @Test("with the store gone a use counts where it was made, and is told once the store is back")
  func storeGone() async throws {
    try await withAccounts(.sqlite) { fixture in
      let clock = fixture.clock
      let store = FaultyStore(inner: fixture.store)
      let (here, there) = (Node(fixture, on: store), Node(fixture, on: fixture.store))
      try await here.revocations.poll()
      try await there.revocations.poll()
      store.isGone.withLock { $0 = true }
      let (used, late) = (token(clock), token(clock, id: "l"))
      #expect(here.admits(used, clock))
      clock.advance(seconds: 61)
      #expect(here.admits(used, clock) && !here.admits(late, clock))
      #expect(here.tickets.waiting == 1)
      store.isGone.withLock { $0 = false }
      let task = Task { await here.tickets.run() }
      await here.told()
      task.cancel()
      await task.value
      try await there.revocations.poll()
      #expect(there.admits(used, clock))
    }
  }

  @Test("a node that could never read the store takes tickets as it takes other tokens: it can't know")
  func neverRead() async throws {
    try await withAccounts(.sqlite) { fixture in
      let (node, clock) = (Node(fixture, on: fixture.store), fixture.clock)
      let ticket = token(clock)
      clock.advance(seconds: 61)
      #expect(node.admits(ticket, clock))
      try await node.revocations.poll()
      #expect(!node.admits(ticket, clock))
    }
  }

  @Test("a look notes no use")
  func look() async throws {
    try await withAccounts(.sqlite) { fixture in
      let (node, clock) = (Node(fixture, on: fixture.store), fixture.clock)
      try await node.revocations.poll()
      let ticket = token(clock)
      #expect(node.revocations.known.couldAdmit(ticket, now: clock.now))
      #expect(node.revocations.known.couldAdmit(token(clock, isTicket: false), now: clock.now))
      clock.advance(seconds: 61)
      #expect(!node.revocations.known.couldAdmit(ticket, now: clock.now))
      #expect(!node.admits(ticket, clock) && node.tickets.waiting == 0)
    }
  }

  @Test("what has expired is forgotten, here and while it waits for the store")
  func pruning() async throws {
    try await withAccounts(.sqlite) { fixture in
      let clock = fixture.clock
      let store = FaultyStore(inner: fixture.store)
      let node = Node(fixture, on: store)
      try await node.revocations.poll()
      store.isGone.withLock { $0 = true }
      let ticket = token(clock, lifetime: 100)
      #expect(node.admits(ticket, clock) && node.tickets.waiting == 1)
      clock.advance(seconds: 101)
      store.isGone.withLock { $0 = false }
      let task = Task { await node.tickets.run() }
      await node.told()
      task.cancel()
      #expect(try await fixture.count("SELECT COUNT(*) FROM revocations") == 0)
      node.revocations.known.prune(now: clock.now)
      #expect(!node.admits(ticket, clock))
    }
  }

  @Test("older releases read a revocation that ends nothing")
  func olderReleases() async throws {
    try await withAccounts(.sqlite) { fixture in
      let ticket = UsedTicket(token(fixture.clock))
      try await fixture.store.write { try ticket.insert(on: $0) }
      let row = try await fixture.store.read { connection in
        try connection.first(
          "SELECT seq, jti, app, user_id, issued_until, expires_at, link_changes FROM revocations", []
        ).map { try Revocation(row: $0) }
      }
      #expect(row?.scope == .user("u", app: 1, issuedUntil: UnixTime(milliseconds: 0)))
    }
  }

  @Test(
    "an identity of an issuer with a long name is kept, and is another than one of a look-alike",
    arguments: StoreEngine.allCases)
  func longIssuers(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let name = "https://issuer.example/" + String(repeating: "a", count: Limits.issuer - 23)
      let accounts = fixture.accounts()
      let first = try await accounts.signIn(identity(issuer: name))
      #expect(try await accounts.signIn(identity(issuer: name)).account.id == first.account.id)
      #expect(try await accounts.signIn(identity(issuer: String(name.dropLast()))).account.id != first.account.id)
      #expect(try await accounts.signIn(identity(issuer: "https://issuer.example")).isNewAccount)
      #expect(try await accounts.signIn(identity(issuer: "https://issuer.example/")).isNewAccount)
    }
  }
}
