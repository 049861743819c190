import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Queued work of providers") struct ProviderJobTests {
  @Test("pauses begin at five seconds and double up to an hour")
  func pauses() {
    #expect(
      (1...12).map { JobSchedule.pause(after: $0) / 1000 } == [
        5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600,
      ])
    for attempts in [0, -1, .min] as [Int64] { #expect(JobSchedule.pause(after: attempts) == 5000) }
    #expect(JobSchedule.pause(after: .max) == 3_600_000)
  }

  @Test("work is given up after thirty days")
  func end() {
    let start = UnixTime(seconds: 0)
    #expect(!JobSchedule.isOver(createdAt: start, now: UnixTime(seconds: 30 * 86_400 - 1)))
    #expect(JobSchedule.isOver(createdAt: start, now: UnixTime(seconds: 30 * 86_400)))
  }

  private func signIn(_ fixture: AccountFixture, subject: String = "s", followUp: String = "code") async throws
    -> String
  {
    try await fixture.accounts().signIn(identity(subject: subject, followUp: Array(followUp.utf8))).account.id
  }

  private func grant(_ secret: String, client: String = "c") -> ProviderJob.Draft {
    ProviderJob.Draft(.release, provider: "apple", client: client, secret: Array(secret.utf8))
  }

  @Test("work is taken up once, and again when whoever took it has died", arguments: StoreEngine.allCases)
  func claims(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      for index in 0..<40 { _ = try await signIn(fixture, subject: "s\(index)") }
      let nodes = (0..<4).map { _ in
        ProviderJobs(store: fixture.database.open(IdentitySchema.migrations), keys: fixture.keys, clock: fixture.clock)
      }
      let claimed = try await withThrowingTaskGroup(of: [ProviderJob].self) { group in
        for node in nodes { group.addTask { try await node.claim(40) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(claimed.count == 40 && Set(claimed.map(\.id)).count == 40)
      #expect(try await fixture.jobs.claim(40).isEmpty)
      fixture.clock.advance(seconds: Limits.jobLease / 1000)
      let again = try await fixture.jobs.claim(100)
      #expect(again.count == 40 && again.allSatisfy { $0.attempts == 2 })
    }
  }

  @Test("a failed attempt comes again after its pause, with its reason in the list", arguments: StoreEngine.allCases)
  func retries(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      _ = try await signIn(fixture)
      for pause in [5, 10, 20] as [Int64] {
        let job = try #require(try await fixture.jobs.claim(1).first)
        #expect(try await !fixture.jobs.fail(job, reason: "invalid_client", isFinal: false))
        fixture.clock.advance(seconds: pause - 1)
        #expect(try await fixture.jobs.claim(1).isEmpty)
        fixture.clock.advance(seconds: 1)
      }
      let text = String(decoding: try await fixture.jobs.listing(limit: 10), as: UTF8.self)
      #expect(text.contains("\"reason\":\"invalid_client\"") && text.contains("\"attempts\":3"))
      fixture.clock.advance(seconds: Limits.jobLifetime)
      let job = try #require(try await fixture.jobs.claim(1).first)
      #expect(try await fixture.jobs.fail(job, reason: "x", isFinal: false), "thirty days are over")
      #expect(try await fixture.jobs.waiting().isEmpty)
    }
  }

  @Test("what can't succeed is given up at once")
  func final() async throws {
    try await withAccounts(.sqlite) { fixture in
      _ = try await signIn(fixture)
      let job = try #require(try await fixture.jobs.claim(1).first)
      #expect(try await fixture.jobs.fail(job, reason: "invalid_grant", isFinal: true))
      #expect(try await fixture.jobs.waiting().isEmpty)
    }
  }

  @Test("codes go before releases, however many of these wait", arguments: StoreEngine.allCases)
  func order(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      for index in 0..<5 {
        let user = try await signIn(fixture, subject: "s\(index)")
        let job = try #require(try await fixture.jobs.claim(1).first)
        try await fixture.jobs.finish(job, keeping: grant("g\(index)"))
        _ = try await fixture.accounts().delete(user: user, app: 1, by: .user)
      }
      fixture.clock.advance(seconds: 10)
      _ = try await signIn(fixture, subject: "new")
      let kinds = try await fixture.jobs.claim(3).map(\.kind)
      #expect(kinds == [.followUp, .release, .release])
    }
  }

  @Test(
    "B90 a grant replaces the earlier one of its client, which is released; the later work wins",
    arguments: StoreEngine.allCases)
  func replaces(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let user = try await signIn(fixture)
      _ = try await signIn(fixture)
      let work = try await fixture.jobs.claim(2).sorted { $0.id < $1.id }
      #expect(work.count == 2)
      // The later exchange ends first.
      try await fixture.jobs.finish(work[1], keeping: grant("new"))
      try await fixture.jobs.finish(work[0], keeping: grant("old"))
      let release = try #require(try await fixture.jobs.claim(5).first)
      #expect(release.secret(fixture.keys) == Array("old".utf8))
      try await fixture.jobs.finish(release)
      _ = try await signIn(fixture)
      let third = try #require(try await fixture.jobs.claim(5).first)
      try await fixture.jobs.finish(third, keeping: grant("third"))
      #expect(try await fixture.jobs.claim(5).map { $0.secret(fixture.keys) } == [Array("new".utf8)])
      #expect(try await fixture.accounts().delete(user: user, app: 1, by: .user))
      #expect(try await fixture.jobs.claim(5).map { $0.secret(fixture.keys) } == [Array("third".utf8)])
    }
  }

  @Test("the same grant given out again is not released")
  func same() async throws {
    try await withAccounts(.sqlite) { fixture in
      for _ in 0..<2 {
        _ = try await signIn(fixture)
        let job = try #require(try await fixture.jobs.claim(1).first)
        try await fixture.jobs.finish(job, keeping: grant("one"))
      }
      #expect(try await fixture.jobs.waiting().isEmpty)
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants") == 1)
    }
  }

  @Test(
    "B82 work of a deleted account changes nothing of a later one of the same person", arguments: StoreEngine.allCases)
  func laterAccount(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let first = try await signIn(fixture)
      let pending = try #require(try await fixture.jobs.claim(1).first)
      #expect(try await fixture.accounts().delete(user: first, app: 1, by: .user))
      let second = try await signIn(fixture)
      #expect(first != second)
      try await fixture.jobs.finish(pending, keeping: grant("late"))
      for job in try await fixture.jobs.claim(10) where job.kind == .release { try await fixture.jobs.finish(job) }
      #expect(try await fixture.count("SELECT COUNT(*) FROM users WHERE id = '\(second)'") == 1)
      #expect(try await fixture.count("SELECT COUNT(*) FROM grants") == 0)
      let columns = try await fixture.store.read { try $0.query("SELECT * FROM provider_jobs", []) }
      #expect(!"\(columns)".contains("000001") && !"\(columns)".contains("@"))
    }
  }
}
