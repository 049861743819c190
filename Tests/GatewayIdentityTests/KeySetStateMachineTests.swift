import GatewayBase
import GatewayCrypto
import Testing

@testable import GatewayIdentity

@Suite("When a key set is fetched")
struct KeySetStateMachineTests {
  typealias StateMachine = KeySetCache.StateMachine

  /// Sets of keys by id, all made once.
  private static let keys: [String: SigningKey] = Dictionary(
    uniqueKeysWithValues: ["a", "b", "c", "other"].map { ($0, try! SigningKey.generate()) })

  private var state = StateMachine()
  private var lastWaiter: UInt64 = 0

  private func set(_ entries: [String: String]) throws -> JSONWebKeySet {
    let texts = entries.map { kid, name in
      Self.keys[name]!.publicJWK.jsonText.replacing("\"kid\":\"\(Self.keys[name]!.kid)\"", with: "\"kid\":\"\(kid)\"")
    }
    return try JSONWebKeySet(parsing: Array("{\"keys\":[\(texts.joined(separator: ","))]}".utf8))
  }

  private func set(_ kids: String...) throws -> JSONWebKeySet {
    try set(Dictionary(uniqueKeysWithValues: kids.map { ($0, $0) }))
  }

  private func key(_ name: String) -> VerifyingKey { Self.keys[name]!.verifyingKey }

  private mutating func want(
    _ kid: String, rejected: VerifyingKey? = nil, at now: UInt64
  ) -> StateMachine.Decision {
    lastWaiter += 1
    return state.keyWanted(kid: kid, rejected: rejected, waiter: lastWaiter, now: now)
  }

  private mutating func finish(_ set: JSONWebKeySet?, at now: UInt64) -> [StateMachine.Answer] {
    state.fetchFinished(set, now: now).sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The machine after a first fetch at time 0 that brought these keys.
  private mutating func warm(_ kids: String...) throws {
    #expect(want(kids[0], at: 0) == .init(answer: nil, startsFetch: true))
    _ = finish(try set(Dictionary(uniqueKeysWithValues: kids.map { ($0, $0) })), at: 0)
  }

  private let starts = StateMachine.Decision(answer: nil, startsFetch: true)
  private let joins = StateMachine.Decision(answer: nil, startsFetch: false)

  private func hears(_ answer: StateMachine.Answer) -> StateMachine.Decision {
    .init(answer: answer, startsFetch: false)
  }

  @Test("the first requests share one fetch, and later ones need none")
  mutating func firstFetch() throws {
    #expect(want("a", at: 0) == starts)
    #expect(want("b", at: 1) == joins)
    #expect(want("x", at: 2) == joins)
    #expect(finish(try set("a", "b"), at: 3) == [.key(key("a")), .key(key("b")), .unknownKey])
    #expect(want("b", at: 4) == hears(.key(key("b"))))
  }

  @Test("B22 a key that appears after one more fetch is found, and the first fetch does not start the cool-down")
  mutating func rotationRightAfterFirstFetch() throws {
    try warm("a")
    #expect(want("b", at: 1) == starts)
    #expect(finish(try set("a", "b"), at: 2) == [.key(key("b"))])
  }

  @Test("B22 a key that does not appear after one more fetch is unknown")
  mutating func stillUnknown() throws {
    try warm("a")
    #expect(want("b", at: 1) == starts)
    #expect(finish(try set("a"), at: 2) == [.unknownKey])
  }

  @Test("B23 a set is fetched again after an hour, behind the requests that it goes on serving")
  mutating func refresh() throws {
    try warm("a")
    #expect(want("a", at: Limits.keySetLifetime - 1) == hears(.key(key("a"))))
    #expect(want("a", at: Limits.keySetLifetime) == .init(answer: .key(key("a")), startsFetch: true))
    #expect(want("a", at: Limits.keySetLifetime + 1) == hears(.key(key("a"))))
    #expect(finish(try set("b"), at: Limits.keySetLifetime + 2).isEmpty)
    #expect(want("b", at: Limits.keySetLifetime + 3) == hears(.key(key("b"))))
    #expect(want("a", at: Limits.keySetLifetime + 3) == starts, "a key that left the set is unknown")
  }

  @Test("B25 a failed fetch leaves the last good set, for as long as it takes")
  mutating func lastKnownGood() throws {
    try warm("a")
    var now = Limits.keySetLifetime
    for _ in 0..<100 {
      #expect(want("a", at: now) == .init(answer: .key(key("a")), startsFetch: true))
      #expect(finish(nil, at: now).isEmpty)
      now += Limits.keySetLifetime
    }
    #expect(want("a", at: now).startsFetch)
    #expect(finish(try JSONWebKeySet(parsing: Array("{\"keys\":[]}".utf8)), at: now).isEmpty)
    #expect(want("a", at: now) == hears(.key(key("a"))), "a set without a usable key counts as failed")
  }

  @Test("B26 unknown ids fetch at most once in 30 s for all together, from the start of the last such fetch")
  mutating func coolDown() throws {
    try warm("a")
    var fetches = 0
    for round in 0..<1000 {
      let now = 1 + UInt64(round)
      if want("random-\(round)", at: now).startsFetch {
        fetches += 1
        _ = finish(try set("a"), at: now)
      }
    }
    #expect(fetches == 1)
    #expect(want("new", at: Limits.keySetCoolDown) == hears(.unknownKey))
    #expect(want("new", at: Limits.keySetCoolDown + 1) == starts)
  }

  @Test("GW-105 a thousand unknown ids at once wait for one fetch, and a known one waits for nothing")
  mutating func singleFlight() throws {
    try warm("a")
    #expect(want("random", at: 1) == starts)
    for round in 0..<1000 { #expect(want("random-\(round)", at: 1) == joins) }
    #expect(want("a", at: 2) == hears(.key(key("a"))))
    let answers = finish(try set("a", "b"), at: 3)
    #expect(answers.count == 1001)
    #expect(answers.allSatisfy { $0 == .unknownKey })
  }

  @Test("beyond the limit of waiting requests the answer is to come again")
  mutating func tooManyWaiters() throws {
    for round in 0..<Limits.keySetWaiters { #expect(want("a", at: 0).startsFetch == (round == 0)) }
    #expect(want("a", at: 0) == hears(.unavailable(retryAfter: 1)))
    #expect(finish(try set("a"), at: 1).count == Limits.keySetWaiters)
  }

  @Test("B26 an id that a fetch did not bring is refused at once for a while, also while another fetch runs")
  mutating func negativeCache() throws {
    try warm("a")
    #expect(want("x", at: 1) == starts)
    #expect(finish(try set("a"), at: 20_000) == [.unknownKey])
    #expect(want("y", at: Limits.keySetCoolDown + 1) == starts)
    #expect(want("x", at: Limits.keySetCoolDown + 2) == hears(.unknownKey))
    #expect(finish(try set("a", "b"), at: Limits.keySetCoolDown + 3) == [.unknownKey])
    #expect(want("x", at: 2 * Limits.keySetCoolDown + 1) == starts, "its time is over")
  }

  @Test("an id that was remembered as unknown is good as soon as a set has it")
  mutating func negativeCacheYields() throws {
    try warm("a")
    #expect(want("b", at: 1) == starts)
    #expect(finish(try set("a"), at: 25_000) == [.unknownKey])
    #expect(want("x", at: Limits.keySetCoolDown + 1) == starts)
    #expect(finish(try set("a", "b"), at: Limits.keySetCoolDown + 2) == [.unknownKey])
    #expect(want("b", at: Limits.keySetCoolDown + 3) == hears(.key(key("b"))))
  }

  @Test("a bad signature under a known id counts as an unknown id: a fetch may bring another key of that id")
  mutating func reusedID() throws {
    try warm("a")
    #expect(want("a", rejected: key("a"), at: 1) == starts)
    #expect(finish(try set(["a": "other"]), at: 2) == [.key(key("other"))])
    #expect(want("a", rejected: key("a"), at: 3) == hears(.key(key("other"))), "already there: no fetch")
    #expect(want("a", rejected: key("other"), at: 4) == hears(.badSignature), "the cool-down counts for it too")
  }

  @Test("a bad signature whose key did not change stays bad, and good tokens of that id are served on")
  mutating func badSignature() throws {
    try warm("a")
    #expect(want("a", rejected: key("a"), at: 1) == starts)
    #expect(finish(try set("a"), at: 2) == [.badSignature])
    #expect(want("a", at: 3) == hears(.key(key("a"))))
    #expect(want("a", rejected: key("a"), at: Limits.keySetCoolDown) == hears(.badSignature))
  }

  @Test("GW-89 without any set requests hear when to come again; retries back off, recover and are never given up")
  mutating func unavailable() throws {
    var now: UInt64 = 0
    for seconds in [1, 2, 4, 8, 16, 30, 30, 30] {
      #expect(want("a", at: now) == starts)
      #expect(finish(nil, at: now) == [.unavailable(retryAfter: seconds)])
      #expect(want("a", at: now + 1) == hears(.unavailable(retryAfter: seconds)), "no fetch before its time")
      now += UInt64(seconds) * 1000
    }
    #expect(want("a", at: now) == starts)
    #expect(finish(try set("a"), at: now) == [.key(key("a"))])
  }

  @Test("after a thousand failures the time to the next try is still bounded")
  mutating func manyFailures() {
    var now: UInt64 = 0
    for _ in 0..<1000 {
      #expect(want("a", at: now) == starts)
      _ = finish(nil, at: now)
      now += Limits.keySetCoolDown
    }
  }

  @Test("an unknown id while the issuer is down is judged by the set there is, and does not hammer it")
  mutating func unknownWhileDown() throws {
    try warm("a")
    #expect(want("b", at: 1) == starts)
    #expect(finish(nil, at: 2) == [.unknownKey])
    #expect(want("b", at: 3) == hears(.unknownKey))
    #expect(want("b", at: Limits.keySetCoolDown + 1) == starts)
    #expect(finish(try set("a", "b"), at: Limits.keySetCoolDown + 2) == [.key(key("b"))])
  }

  @Test("an unknown id joins a refresh that is under way instead of starting a fetch of its own")
  mutating func joinsRefresh() throws {
    try warm("a")
    #expect(want("a", at: Limits.keySetLifetime).startsFetch)
    #expect(want("b", at: Limits.keySetLifetime + 1) == joins)
    #expect(finish(try set("a", "b"), at: Limits.keySetLifetime + 2) == [.key(key("b"))])
  }
}
