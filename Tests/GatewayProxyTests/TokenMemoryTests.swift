import GatewayBase
import GatewayCrypto
import GatewayHTTP
import Testing

@testable import GatewayProxy

@Suite struct TokenMemoryTests {
  @Test("A remembered token is found by its digest, and no other is")
  func find() {
    let memory = Memory(capacity: 64)
    memory.remember("a")
    #expect(memory.find("a") == "a")
    #expect(memory.find("b") == nil)
  }

  @Test("A forgotten token is not found, and can be remembered again")
  func forget() {
    let memory = Memory(capacity: 64)
    memory.remember("a")
    memory.forget("a")
    #expect(memory.find("a") == nil)
    memory.forget("never seen")
    memory.remember("a")
    #expect(memory.find("a") == "a")
  }

  @Test("Growing loses nothing below half the capacity")
  func growth() {
    let memory = Memory(capacity: 1024)
    for index in 0..<500 { memory.remember("\(index)") }
    #expect((0..<500).allSatisfy { memory.find("\($0)") == "\($0)" })
  }

  @Test("Beyond the capacity the oldest are forgotten", arguments: [8, 64, 512])
  func bound(capacity: Int) {
    let memory = Memory(capacity: capacity)
    let count = capacity * 4
    for index in 0..<count { memory.remember("\(index)") }
    // From the youngest on: finding an old one makes it young, which may push out others.
    #expect((0..<(count - capacity)).allSatisfy { memory.find("\($0)") == nil })
    #expect(((count - capacity / 2)..<count).allSatisfy { memory.find("\($0)") != nil })
  }

  @Test("A token that is in use outlives those that are not")
  func promotion() {
    let memory = Memory(capacity: 64)
    memory.remember("used")
    for index in 0..<1_000 {
      memory.remember("\(index)")
      #expect(memory.find("used") == "used")
    }
    #expect(memory.find("0") == nil)
  }

  @Test("A forgotten token does not come back from the old half")
  func forgottenInBoth() {
    let memory = Memory(capacity: 16)
    memory.remember("a")
    for index in 0..<8 { memory.remember("\(index)") }
    #expect(memory.find("a") == "a")
    memory.forget("a")
    #expect(memory.find("a") == nil)
  }
}

/// The memory by reference, for tokens named by their id.
private final class Memory {
  private var memory: TokenMemory
  private let now = UnixTime(seconds: 1_000)

  init(capacity: Int) { memory = TokenMemory(capacity: capacity) }

  private func digest(_ id: String) -> SHA256Digest { SHA256Hasher().digest(Array(id.utf8).span) }

  func remember(_ id: String) {
    memory.remember(RememberedToken(.sample(tokenID: id, now: now)), as: digest(id))
  }

  func find(_ id: String) -> String? { memory.find(digest(id))?.admission.tokenID }

  func forget(_ id: String) { memory.forget(digest(id)) }
}

@Suite struct RecentTokensTests {
  private func token(_ id: String) -> RememberedToken {
    RememberedToken(.sample(tokenID: id, now: UnixTime(seconds: 1_000)))
  }

  private func text(_ id: String) -> [UInt8] {
    Array("header.payload.signature\(String(repeating: "0", count: 8 - id.utf8.count))\(id)xx".utf8)
  }

  @Test("A token is found by its bytes, until it is forgotten")
  func find() {
    var recent = RecentTokens(capacity: 8)
    recent.remember(token("a"), as: text("a").span)
    #expect(recent.find(text("a").span)?.admission.tokenID == "a")
    #expect(recent.find(text("b").span) == nil)
    recent.forget(text("a").span)
    #expect(recent.find(text("a").span) == nil)
  }

  @Test("Tokens that end alike are told apart by all their bytes")
  func tails() {
    var recent = RecentTokens(capacity: 8)
    let (one, other) = (Array("one.signature-of-some".utf8), Array("other.signature-of-some".utf8))
    recent.remember(token("one"), as: one.span)
    #expect(recent.find(other.span) == nil)
    recent.remember(token("other"), as: other.span)
    #expect(recent.find(other.span)?.admission.tokenID == "other")
  }

  @Test("Of many tokens nearly all are found while they are no more than half of the places")
  func many() {
    var recent = RecentTokens(capacity: 2048)
    let ids = (0..<1000).map { "\($0 &* 7_919 % 10_007)" }
    for id in ids { recent.remember(token(id), as: text(id).span) }
    #expect(ids.count { recent.find(text($0).span)?.admission.tokenID == $0 } > 850)
  }

  @Test("What is too short to be a token is not kept")
  func short() {
    var recent = RecentTokens(capacity: 8)
    recent.remember(token("a"), as: Array("a.b.c".utf8).span)
    #expect(recent.find(Array("a.b.c".utf8).span) == nil)
  }
}

@Suite struct RememberedTokenTests {
  private let now = UnixTime(seconds: 1_000)
  private let authority = StubAuthority()

  @Test("A token is good until it expires, whatever its assertion")
  func expiry() {
    let token = RememberedToken(.sample(now: now, life: 100), assertionLife: 1_000)
    #expect(token.standing(now: now.adding(seconds: 99), authority: authority) == .good)
    #expect(token.standing(now: now.adding(seconds: 100), authority: authority) == .ended)
  }

  @Test("An assertion that has aged makes the token stale")
  func stale() {
    let token = RememberedToken(.sample(now: now), assertionLife: 30)
    #expect(token.standing(now: now.adding(seconds: 29), authority: authority) == .good)
    #expect(token.standing(now: now.adding(seconds: 30), authority: authority) == .stale)
    token.renew(BackendAssertion(text: "another", goodUntil: now.adding(seconds: 60)), for: .sample(now: now))
    #expect(token.standing(now: now.adding(seconds: 30), authority: authority) == .good)
    #expect(String(decoding: token.identityFields, as: UTF8.self).hasSuffix("X-Speed-Assertion: another\r\n"))
  }

  @Test("A linked account is said to be none of the app's own from its next request on, with an assertion that says so")
  func linked() {
    let token = RememberedToken(.sample(now: now), assertionLife: 30)
    var fields: String { String(decoding: token.identityFields, as: UTF8.self) }
    #expect(fields.contains("X-Speed-Local-User: true\r\n"))
    let before = token.admission
    authority.link("user-1")
    let goodUntil = now.adding(seconds: 60)
    #expect(token.standing(now: now, authority: authority) == .stale)
    // Signed while it was linked.
    token.renew(BackendAssertion(text: "before", goodUntil: goodUntil), for: before)
    #expect(token.standing(now: now, authority: authority) == .stale)
    token.renew(BackendAssertion(text: "after", goodUntil: goodUntil), for: token.admission)
    #expect(token.standing(now: now, authority: authority) == .good)
    #expect(fields.contains("X-Speed-Local-User: false\r\n") && fields.hasSuffix("X-Speed-Assertion: after\r\n"))
    #expect(authority.state.withLock { $0.revocationChecks } == 1)
  }

  @Test("GW-107 each version of the revocations is asked once, and a revoked token has ended")
  func revocation() {
    let token = RememberedToken(.sample(tokenID: "t", now: now))
    for _ in 0..<5 { #expect(token.standing(now: now, authority: authority) == .good) }
    #expect(authority.state.withLock { $0.revocationChecks } == 0)
    authority.revoke("another")
    for _ in 0..<5 { #expect(token.standing(now: now, authority: authority) == .good) }
    #expect(authority.state.withLock { $0.revocationChecks } == 1)
    authority.revoke("t")
    for _ in 0..<2 { #expect(token.standing(now: now, authority: authority) == .ended) }
  }
}

@Suite struct BearerCredentialTests {
  @Test(
    "One bearer token in any case of its scheme",
    arguments: ["Bearer abc.DEF-_9", "bearer abc.DEF-_9", "BEARER abc.DEF-_9"])
  func good(value: String) throws {
    #expect(try read("Authorization: \(value)") == "abc.DEF-_9")
  }

  @Test(
    "What is no bearer token",
    arguments: [
      ("Basic YTpi", "malformed"), ("Bearer", "malformed"), ("Bearer ", "malformed"), ("Bearer  abc", "malformed"),
      ("Bearer\tabc", "malformed"), ("Bearer a b", "malformed"), ("Bearer a=", "malformed"),
      ("Bearerabc", "malformed"), ("Bearer a,b", "ambiguous"), ("Bearer a, Bearer b", "ambiguous"),
      ("Basic a, Bearer b", "ambiguous"), ("", "malformed"),
    ])
  func bad(value: String, outcome: String) throws {
    #expect(try read("Authorization: \(value)") == outcome)
  }

  @Test("None, two, and one under a name that only looks like it")
  func fields() throws {
    #expect(try read("X-A: b") == "absent")
    #expect(try read("Authorization: Bearer a\r\nauthorization: Bearer a") == "ambiguous")
    #expect(try read("Authorization_: Bearer a") == "absent")
  }

  @Test("A token longer than the limit is malformed")
  func limit() throws {
    let longest = String(repeating: "a", count: Limits.bearer)
    #expect(try read("Authorization: Bearer \(longest)") == longest)
    #expect(try read("Authorization: Bearer \(longest)a") == "malformed")
  }

  /// The token, or what is wrong.
  private func read(_ lines: String) throws -> String {
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n".utf8)
    var fields = FieldTable()
    _ = try RequestParser.parse(head.span, into: &fields)
    var credential = BearerCredential.read(head.span, fields)
    if case .token(let range) = credential {
      guard let fault = BearerCredential.fault(head.span, range) else {
        return String(decoding: head[range], as: UTF8.self)
      }
      credential = fault
    }
    switch credential {
    case .absent: return "absent"
    case .ambiguous: return "ambiguous"
    case .malformed, .token: return "malformed"
    }
  }
}
