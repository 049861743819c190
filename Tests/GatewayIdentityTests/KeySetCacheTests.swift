import GatewayBase
import GatewayCrypto
import GatewayIdentity
import GatewayOutbound
import Testing

@Suite("An issuer's key set")
struct KeySetCacheTests {
  /// An issuer whose answer a test sets, and which counts how often it was asked.
  private final class Issuer: Sendable {
    struct Down: Error {}

    private let state = Locked<(answer: [UInt8]?, count: Int)>((nil, 0))
    private let time = Locked<UInt64>(0)

    var fetches: Int { state.withLock { $0.count } }
    func publish(_ keys: SigningKey...) { answer(JSONWebKeySet.jsonBytes(keys.map(\.publicJWK))) }
    func answer(_ bytes: [UInt8]?) { state.withLock { $0.answer = bytes } }
    func advance(_ milliseconds: UInt64) { time.withLock { $0 += milliseconds } }

    func cache(log: @escaping @Sendable (any Error) -> Void = { _ in }) -> KeySetCache {
      let (state, time) = (state, time)
      return KeySetCache(
        fetch: {
          let answer: [UInt8]? = state.withLock { state in
            state.count += 1
            return state.answer
          }
          guard let answer else { throw Down() }
          return answer
        }, log: log, milliseconds: { time.withLock { $0 } })
    }
  }

  private let issuer = Issuer()

  private func token(_ key: SigningKey, header: String? = nil) throws -> [UInt8] {
    let token = try JWT.sign(claims: Array("{\"sub\":\"u\"}".utf8), kind: .jwt, key: key)
    guard let header else { return Array(token.utf8) }
    let rest = token.drop { $0 != "." }
    return Array((Base64URL.encode(Array(header.utf8)) + rest).utf8)
  }

  private func refusal(_ cache: KeySetCache, _ token: [UInt8]) async -> KeySetCache.Failure? {
    do {
      _ = try await cache.verify(token, algorithms: [.es256])
      return nil
    } catch {
      return error
    }
  }

  @Test("a token of the issuer is believed, and its payload handed on")
  func good() async throws {
    let key = try SigningKey.generate()
    issuer.publish(key)
    let jws = try await issuer.cache().verify(token(key), algorithms: [.es256])
    #expect(jws.payload == Array("{\"sub\":\"u\"}".utf8))
  }

  @Test("B21 the second key of a set is used for the token that names it")
  func secondKey() async throws {
    let keys = try (0..<3).map { _ in try SigningKey.generate() }
    issuer.publish(keys[0], keys[1], keys[2])
    #expect(await refusal(issuer.cache(), try token(keys[1])) == nil)
  }

  @Test("B26 a thousand tokens with invented ids, at once, cost one fetch")
  func flood() async throws {
    let key = try SigningKey.generate()
    issuer.publish(key)
    let cache = issuer.cache()
    #expect(await refusal(cache, try token(key)) == nil)
    let forged = try token(key, header: "{\"alg\":\"ES256\",\"kid\":\"random\"}")
    await withTaskGroup(of: KeySetCache.Failure?.self) { group in
      for _ in 0..<1000 { group.addTask { await refusal(cache, forged) } }
      for await failure in group { #expect(failure == .unknownKey) }
    }
    #expect(issuer.fetches == 2)
    #expect(await refusal(cache, try token(key)) == nil)
  }

  @Test("many first requests at once share one fetch")
  func coldStart() async throws {
    let key = try SigningKey.generate()
    issuer.publish(key)
    let cache = issuer.cache()
    let good = try token(key)
    await withTaskGroup(of: KeySetCache.Failure?.self) { group in
      for _ in 0..<100 { group.addTask { await refusal(cache, good) } }
      for await failure in group { #expect(failure == nil) }
    }
    #expect(issuer.fetches == 1)
  }

  @Test("B22 a rotation is noticed by the first token under the new key")
  func rotation() async throws {
    let (old, new) = (try SigningKey.generate(), try SigningKey.generate())
    issuer.publish(old)
    let cache = issuer.cache()
    #expect(await refusal(cache, try token(old)) == nil)
    issuer.publish(new)
    #expect(await refusal(cache, try token(new)) == nil)
    #expect(await refusal(cache, try token(old)) == .unknownKey)
  }

  @Test("B25 an error page is never taken for a key set, and the cached one serves on")
  func errorPage() async throws {
    let (key, new) = (try SigningKey.generate(), try SigningKey.generate())
    issuer.publish(key)
    let cache = issuer.cache()
    #expect(await refusal(cache, try token(key)) == nil)
    for page in [nil, Array("<html>503</html>".utf8), Array("{\"keys\":[]}".utf8), []] as [[UInt8]?] {
      issuer.answer(page)
      issuer.advance(Limits.keySetLifetime)
      #expect(await refusal(cache, try token(key)) == nil)
      #expect(await refusal(cache, try token(new)) == .unknownKey)
      #expect(await refusal(cache, try token(key)) == nil)
    }
    issuer.publish(key, new)
    issuer.advance(Limits.keySetCoolDown)
    #expect(await refusal(cache, try token(new)) == nil)
  }

  @Test("GW-89 without any set the answer is 'unavailable' until the issuer is back")
  func down() async throws {
    let key = try SigningKey.generate()
    let errors = Locked<Int>(0)
    let cache = issuer.cache { _ in errors.withLock { $0 += 1 } }
    #expect(await refusal(cache, try token(key)) == .unavailable(retryAfter: 1))
    issuer.publish(key)
    #expect(await refusal(cache, try token(key)) == .unavailable(retryAfter: 1))
    issuer.advance(1000)
    #expect(await refusal(cache, try token(key)) == nil)
    #expect(errors.withLock { $0 } == 1)
  }

  @Test("a bad signature under a known id is refused, and costs one fetch in 30 s")
  func badSignature() async throws {
    let (key, attacker) = (try SigningKey.generate(), try SigningKey.generate())
    issuer.publish(key)
    let cache = issuer.cache()
    #expect(await refusal(cache, try token(key)) == nil)
    let forged = try token(attacker, header: "{\"alg\":\"ES256\",\"kid\":\"\(key.kid)\"}")
    for _ in 0..<10 { #expect(await refusal(cache, forged) == .badSignature) }
    #expect(issuer.fetches == 2)
  }

  @Test("B27 B30 a token under an algorithm that the caller does not take is refused before anything is fetched")
  func algorithms() async throws {
    let key = try SigningKey.generate()
    issuer.publish(key)
    let cache = issuer.cache()
    for algorithm in ["HS256", "none", "RS256", "ES512"] {
      let token = try token(key, header: "{\"alg\":\"\(algorithm)\",\"kid\":\"\(key.kid)\"}")
      #expect(await refusal(cache, token) == .algorithmNotAllowed)
    }
    await #expect(throws: KeySetCache.Failure.algorithmNotAllowed) {
      try await cache.verify(try token(key), algorithms: [.rs256])
    }
    #expect(issuer.fetches == 0)
  }

  @Test("B29 a malformed token, or one that names no key, is refused before anything is fetched")
  func malformed() async throws {
    let cache = issuer.cache()
    let withoutKid = String(decoding: try token(SigningKey.generate(), header: "{\"alg\":\"ES256\"}"), as: UTF8.self)
    for text in ["", "abc", "a.b", "..", "a.b.c.d", "bm90.e30.AQ", withoutKid] {
      #expect(await refusal(cache, Array(text.utf8)) == .malformed)
    }
    #expect(issuer.fetches == 0)
  }

  @Test("an issuer that can't be reached over the network leaves its tokens unjudged", .timeLimit(.minutes(1)))
  func unreachable() async throws {
    let sets = KeySets(client: OutboundClient(threads: 1), logger: Logger(level: .error))
    let key = try SigningKey.generate()
    let url = try ServiceURL("http://127.0.0.1:1/keys")
    await #expect(throws: KeySetCache.Failure.unavailable(retryAfter: 1)) {
      try await sets.verify(try token(key), keysAt: url, algorithms: [.es256])
    }
  }
}
