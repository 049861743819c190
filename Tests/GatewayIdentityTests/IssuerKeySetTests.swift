import GatewayBase
import GatewayCrypto
import Testing

@testable import GatewayIdentity

@Suite("The key set of an OpenID issuer") struct IssuerKeySetTests {
  /// A network whose pages a test sets, and which counts how often each was asked for.
  private final class Pages: Sendable {
    struct Down: Error {}

    private struct State {
      var pages: [String: [UInt8]] = [:]
      var asked: [String: Int] = [:]
      var now: UInt64 = 0
    }

    private let state = Locked(State())

    func put(_ url: String, _ text: String?) { put(url, bytes: text.map { Array($0.utf8) }) }
    func put(_ url: String, bytes: [UInt8]?) { state.withLock { $0.pages[url] = bytes } }
    func asked(_ url: String) -> Int { state.withLock { $0.asked[url] ?? 0 } }
    func advance(_ milliseconds: UInt64) { state.withLock { $0.now += milliseconds } }

    func sets() -> IssuerKeySets {
      IssuerKeySets(
        fetch: { [state] url in
          let page: [UInt8]? = state.withLock { state in
            state.asked["\(url)", default: 0] += 1
            return state.pages["\(url)"]
          }
          guard let page else { throw Down() }
          return page
        }, logger: Logger(level: .error), milliseconds: { [state] in state.withLock { $0.now } })
    }
  }

  private static let name = "https://issuer.example/tenant/"
  private static let metadata = "https://issuer.example/tenant/.well-known/openid-configuration"
  private static let place = "https://keys.example/jwk/service@issuer.example"

  private let pages = Pages()

  private func issuer(_ text: String = name) throws -> IssuerURL { try IssuerURL(text, try ServiceURL(text)) }

  private func describe(keysAt place: String = place, as name: String = name, at url: String = metadata) {
    pages.put(url, "{\"issuer\":\"\(name)\",\"jwks_uri\":\"\(place)\",\"subject_types_supported\":[\"public\"]}")
  }

  private func publish(_ keys: SigningKey..., at place: String = place) {
    pages.put(place, bytes: JSONWebKeySet.jsonBytes(keys.map(\.publicJWK)))
  }

  private func refusal(_ sets: IssuerKeySets, _ key: SigningKey, of name: String = name) async throws
    -> KeySetCache.Failure?
  {
    let token = Array(try JWT.sign(claims: Array("{\"sub\":\"u\"}".utf8), kind: .jwt, key: key).utf8)
    do {
      _ = try await sets.verify(token, of: try issuer(name), algorithms: [.es256])
      return nil
    } catch let failure as KeySetCache.Failure {
      return failure
    }
  }

  @Test("keys are where the issuer's metadata say, also on another host, and both are asked for once")
  func found() async throws {
    let key = try SigningKey.generate()
    describe()
    publish(key)
    let sets = pages.sets()
    let refusals = try await withThrowingTaskGroup(of: KeySetCache.Failure?.self) { group in
      for _ in 0..<100 { group.addTask { try await refusal(sets, key) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals.allSatisfy { $0 == nil })
    #expect(pages.asked(Self.metadata) == 1 && pages.asked(Self.place) == 1)
  }

  @Test("the metadata are below the issuer's path, from which one final slash is taken")
  func metadataPlace() throws {
    for (issuer, place) in [
      ("https://a.example", "https://a.example/.well-known/openid-configuration"),
      ("https://a.example/", "https://a.example/.well-known/openid-configuration"),
      ("https://a.example/realms/x", "https://a.example/realms/x/.well-known/openid-configuration"),
      ("https://a.example/realms/x/", "https://a.example/realms/x/.well-known/openid-configuration"),
      ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a/.well-known/openid-configuration"),
    ] {
      #expect(try self.issuer(issuer).metadata.description == place)
    }
  }

  @Test("metadata that are not the issuer's own, or lead to no key set that may be asked, are not believed")
  func metadata() throws {
    func fault(_ text: String, of name: String = Self.name) throws -> IssuerMetadata.Fault? {
      let issuer = try issuer(name)
      do throws(IssuerMetadata.Fault) {
        _ = try IssuerMetadata(Array(text.utf8), of: issuer)
        return nil
      } catch {
        return error
      }
    }
    func json(_ issuer: String, _ place: String) -> String { "{\"issuer\":\"\(issuer)\",\"jwks_uri\":\"\(place)\"}" }
    #expect(try fault(json(Self.name, Self.place)) == nil)
    for text in ["", "<html>", "[]", "1"] { #expect(try fault(text) == .malformed) }
    for other in ["https://issuer.example/tenant", "https://ISSUER.example/tenant/", "https://evil.example/"] {
      #expect(try fault(json(other, Self.place)) == .foreignIssuer)
    }
    #expect(try fault("{\"jwks_uri\":\"\(Self.place)\"}") == .foreignIssuer)
    #expect(try fault("{\"issuer\":\"\(Self.name)\"}") == .noKeySet)
    #expect(try fault("{\"issuer\":\"\(Self.name)\",\"jwks_uri\":1}") == .noKeySet)
    for place in [
      "http://keys.example/", "file:///etc/passwd", "keys.example", "https://u@keys.example/", "https://127.0.0.1/keys",
      "http://127.0.0.1:6379/", "https://localhost/", "https://a.localhost/", "https://[::1]/",
      "https://169.254.169.254/latest", "https://[fe80::1]/", "",
    ] {
      #expect(try fault(json(Self.name, place)) == .unreachableKeySet, "\(place)")
    }
    let local = "http://localhost:9000"
    #expect(try fault(json(local, "http://127.0.0.1:9001/keys"), of: local) == nil)
    #expect(try fault(json(local, Self.place), of: local) == nil)
  }

  @Test("an issuer that was never up is 'unavailable', and is not asked for each request")
  func neverUp() async throws {
    let (key, sets) = (try SigningKey.generate(), pages.sets())
    for _ in 0..<10 { #expect(try await refusal(sets, key) == .unavailable(retryAfter: 1)) }
    #expect(pages.asked(Self.metadata) == 1)
    describe(as: "https://evil.example")
    publish(key)
    pages.advance(1000)
    #expect(try await refusal(sets, key) == .unavailable(retryAfter: 2))
    #expect(pages.asked(Self.place) == 0, "nothing of foreign metadata is followed")
    describe()
    pages.advance(2000)
    #expect(try await refusal(sets, key) == nil)
  }

  @Test("B25 the last good place and set serve on while the issuer is away")
  func servesOn() async throws {
    let (key, sets) = (try SigningKey.generate(), pages.sets())
    describe()
    publish(key)
    #expect(try await refusal(sets, key) == nil)
    pages.put(Self.metadata, nil)
    pages.advance(Limits.keySetLifetime)
    #expect(try await refusal(sets, key) == nil)
    while pages.asked(Self.place) < 2 { await Task.yield() }
    pages.put(Self.place, "<html>gone</html>")
    for _ in 0..<3 {
      pages.advance(Limits.keySetLifetime)
      #expect(try await refusal(sets, key) == nil)
    }
  }

  @Test("B22 B23 a rotation is noticed by the first token under the new key, without another discovery")
  func rotation() async throws {
    let (old, new, sets) = (try SigningKey.generate(), try SigningKey.generate(), pages.sets())
    describe()
    publish(old)
    #expect(try await refusal(sets, old) == nil)
    publish(new)
    #expect(try await refusal(sets, new) == nil)
    #expect(try await refusal(sets, old) == .unknownKey)
    #expect(pages.asked(Self.metadata) == 1 && pages.asked(Self.place) == 2)
  }

  @Test("keys that have moved are found by discovery once their old place has none")
  func moved() async throws {
    let (old, new, sets) = (try SigningKey.generate(), try SigningKey.generate(), pages.sets())
    describe()
    publish(old)
    #expect(try await refusal(sets, old) == nil)
    pages.put(Self.place, nil)
    describe(keysAt: "https://new.example/keys")
    publish(new, at: "https://new.example/keys")
    #expect(try await refusal(sets, new) == .unknownKey)
    pages.advance(Limits.keySetCoolDown)
    #expect(try await refusal(sets, new) == nil)
    #expect(pages.asked(Self.metadata) == 2)
  }

  @Test("each issuer has its own keys, and one that no app names any more is forgotten")
  func forgotten() async throws {
    let (one, two, sets) = (try SigningKey.generate(), try SigningKey.generate(), pages.sets())
    let other = "https://issuer.example/other"
    describe()
    publish(one)
    describe(keysAt: "https://keys.example/2", as: other, at: "\(other)/.well-known/openid-configuration")
    publish(two, at: "https://keys.example/2")
    #expect(try await refusal(sets, one) == nil)
    #expect(try await refusal(sets, two, of: other) == nil)
    #expect(try await refusal(sets, two) == .unknownKey)
    #expect(sets.count == 2)
    sets.keep { $0 == other }
    #expect(sets.count == 1)
    #expect(try await refusal(sets, two, of: other) == nil)
    #expect(pages.asked("https://keys.example/2") == 1)
  }

  @Test("what is no issuer's URL is none")
  func urls() throws {
    for text in ["https://a.example/?x", "https://a.example/\(String(repeating: "a", count: 240))", "http://a.example"]
    {
      #expect(throws: IssuerURL.Problem.self, "\(text)") { try issuer(text) }
    }
    let ending = "https://a.example/\(String(repeating: "a", count: 237))"
    #expect(try issuer(ending).text.utf8.count == Limits.issuer)
  }
}
