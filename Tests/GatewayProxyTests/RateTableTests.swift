import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

@Suite("Rates") struct RateTableTests {
  private let second: UInt64 = 1_000_000_000
  private let start: UInt64 = 1_000_000_000_000

  @Test("a pause's requests pass at once, the next one when one interval is over, and all are back after the window")
  func burst() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 10, milliseconds: 1000)
    for left in (0..<10).reversed() {
      let standing = table.count(1, rule, now: start)
      #expect(standing.passes && standing.remaining == UInt64(left) && standing.reset == 1)
    }
    #expect(table.count(1, rule, now: start) == RateStanding(passes: false, remaining: 0, reset: 1))
    #expect(!table.count(1, rule, now: start + second / 10 - 1).passes)
    #expect(table.count(1, rule, now: start + second / 10).passes)
    #expect(!table.count(1, rule, now: start + second / 10).passes)
    #expect(table.count(1, rule, now: start + 2 * second).remaining == 9)
  }

  @Test("no more than the rate passes over a long time, however it is asked for")
  func longRun() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 5, milliseconds: 1000)
    var passed = 0
    for step in 0..<10_000 where table.count(7, rule, now: start + UInt64(step) * second / 1000).passes { passed += 1 }
    #expect((54...55).contains(passed), "ten seconds' worth and one burst: \(passed)")
  }

  @Test("whoever is refused is told when one request passes, and it does then, not before")
  func wait() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 2, milliseconds: 60_000)
    _ = (table.count(1, rule, now: start), table.count(1, rule, now: start))
    let standing = table.count(1, rule, now: start + second)
    #expect(!standing.passes && standing.reset == 29)
    #expect(!table.count(1, rule, now: start + 29 * second).passes)
    #expect(table.count(1, rule, now: start + 30 * second).passes)
  }

  @Test("a refused request costs nothing")
  func refused() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 1, milliseconds: 1000)
    #expect(table.count(1, rule, now: start).passes)
    for step in 1..<10 { #expect(!table.count(1, rule, now: start + UInt64(step) * second / 10).passes) }
    #expect(table.count(1, rule, now: start + second).passes)
  }

  @Test("callers count apart, and each of a rule's own")
  func apart() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 1, milliseconds: 1000)
    #expect(table.count(1, rule, now: start).passes && table.count(2, rule, now: start).passes)
    #expect(!table.count(1, rule, now: start).passes && !table.count(2, rule, now: start).passes)
  }

  @Test("a full table takes a newcomer in without a burst, and a flood of them gives nobody a fresh one")
  func flood() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 10, milliseconds: 10_000)
    for key in UInt64(1)...8 {
      for _ in 0..<10 { #expect(table.count(key, rule, now: start).passes) }
    }
    #expect(table.count(100, rule, now: start).passes, "one request of a newcomer passes")
    #expect(!table.count(100, rule, now: start).passes)
    // Made-up callers push everyone out; who comes back has one request, not ten.
    for key in UInt64(200)..<300 { _ = table.count(key, rule, now: start) }
    #expect(table.count(1, rule, now: start).passes)
    #expect(!table.count(1, rule, now: start).passes)
  }

  @Test("who owes least goes first, and a place whose owner owes nothing is free")
  func eviction() {
    var table = RateTable(capacity: 8)
    let rule = RateRule(requests: 10, milliseconds: 10_000)
    for key in UInt64(1)...8 {
      for _ in 0..<(key == 3 ? 1 : 5) { _ = table.count(key, rule, now: start) }
    }
    #expect(table.count(9, rule, now: start).remaining == 8, "it begins with what the third one owed")
    #expect(table.count(1, rule, now: start).remaining == 4)
    #expect(table.count(10, rule, now: start + 60 * second).remaining == 9)
  }

  @Test("the extremes of a rule neither trap nor stop counting")
  func extremes() {
    var table = RateTable(capacity: 8)
    let extremes: [(Int64, Int64)] = [(1_000_000_000, 1000), (.max, .max), (0, 0), (1, 86_400_000), (.max, 1)]
    for (index, (requests, milliseconds)) in extremes.enumerated() {
      let rule = RateRule(requests: requests, milliseconds: milliseconds)
      #expect(table.count(UInt64(index) + 1, rule, now: start).passes)
    }
    #expect(RateRule(requests: 7, milliseconds: 1500).seconds == 2)
  }

  @Test("loops that share a limiter share its counts")
  func shared() throws {
    let limiter = RateLimiter(capacity: 512)
    let rule = RateRule(requests: 1000, milliseconds: 60_000)
    let caller = RateCaller("rule", "caller")
    let passed = try Parallel.run(4) { _ in
      (0..<500).count { _ in limiter.count(caller, by: rule, now: 1).passes }
    }
    #expect(passed.reduce(0, +) == 1000)
  }
}

@Suite("Limits of a route") struct RouteLimitTests {
  private let rule = RateRule(requests: 1, milliseconds: 1000)

  private func limit(
    _ subject: RouteLimit.Subject, app: Int64 = 1, path: String = "/", rule: RateRule? = nil
  ) -> RouteLimit {
    RouteLimit(app: app, path: path, rule: rule ?? self.rule, subject: subject)
  }

  private func token(_ user: String) -> RememberedToken {
    RememberedToken(.sample(userID: user, now: UnixTime(seconds: 0)))
  }

  @Test("users count by themselves on any address, and by their address where there is no token")
  func users() {
    let limit = limit(.user)
    let (ada, bob) = (token("ada"), token("bob"))
    func key(_ user: RememberedToken?, _ address: UInt32) -> UInt64 {
      limit.caller(user: user, address: .v4(address)).key
    }
    #expect(key(ada, 1) == key(ada, 2))
    #expect(key(ada, 1) == key(token("ada"), 1), "another token of the same user")
    #expect(key(ada, 1) != key(bob, 1))
    #expect(key(nil, 1) != key(nil, 2))
  }

  @Test("GW-103 addresses count by their block, whoever asks; the app counts as one")
  func addresses() throws {
    func key(_ subject: RouteLimit.Subject, _ address: String) throws -> UInt64 {
      limit(subject).caller(user: token(address), address: try #require(IPAddress(address))).key
    }
    #expect(try key(.address, "2001:db8::1") == key(.address, "2001:db8::2"))
    #expect(try key(.address, "192.0.2.1") != key(.address, "192.0.2.2"))
    #expect(try key(.app, "192.0.2.1") == key(.app, "192.0.2.2"))
  }

  @Test("a count goes on across reloads while app, path, rule and subject are the same")
  func identity() {
    func key(_ limit: RouteLimit) -> UInt64 { limit.caller(user: nil, address: .v4(1)).key }
    #expect(key(limit(.address)) == key(limit(.address)))
    #expect(key(limit(.address)) != key(limit(.address, app: 2)))
    #expect(key(limit(.address)) != key(limit(.address, path: "/a")))
    #expect(key(limit(.address)) != key(limit(.address, rule: RateRule(requests: 2, milliseconds: 1000))))
    #expect(key(limit(.address)) != key(limit(.user)))
  }
}
