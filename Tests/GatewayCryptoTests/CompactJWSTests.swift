import GatewayBase
import GatewayCrypto
import Testing

@Suite("Signed tokens")
struct CompactJWSTests {
  private func token(_ header: String, _ payload: String = "{}", signature: [UInt8] = [1]) -> [UInt8] {
    Array((signingInput(header, payload) + "." + Base64URL.encode(signature)).utf8)
  }

  private func signingInput(_ header: String, _ payload: String = "{}") -> String {
    Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
  }

  private func rsaKey() throws -> VerifyingKey {
    let jwk = "{\"kty\":\"RSA\",\"kid\":\"rsa-1\",\"n\":\"\(Fixtures.rsaModulus)\",\"e\":\"AQAB\"}"
    return try #require(try JSONWebKeySet(parsing: Array("{\"keys\":[\(jwk)]}".utf8))["rsa-1"])
  }

  @Test("a token that we sign has the kind's type and the key's id, and is good under that key alone")
  func signedByUs() throws {
    let key = try SigningKey.generate()
    let token = try JWT.sign(claims: Array("{\"sub\":\"u\"}".utf8), kind: .accessToken, key: key)
    let jws = try #require(CompactJWS(parsing: Array(token.utf8)))
    #expect(jws.algorithm == "ES256")
    #expect(jws.kid == key.kid)
    #expect(jws.type == "at+jwt")
    #expect(jws.payload == Array("{\"sub\":\"u\"}".utf8))
    #expect(jws.isSigned(by: key.verifyingKey))
    #expect(!jws.isSigned(by: try SigningKey.generate().verifyingKey))
  }

  @Test("an RS256 token of another maker is good, and bad once any byte of it changed")
  func rs256() throws {
    let key = try rsaKey()
    let token = Array(Fixtures.rs256Token.utf8)
    #expect(CompactJWS(parsing: token)?.isSigned(by: key) == true)
    for index in stride(from: 0, to: token.count, by: 5) {
      var changed = token
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(CompactJWS(parsing: changed)?.isSigned(by: key) != true, "byte \(index)")
    }
  }

  @Test("B27 an HMAC keyed with the public key is no signature, nor is one under none or another name")
  func confusedAlgorithm() throws {
    let key = try SigningKey.generate()
    for header in ["HS256", "none", "None", "RS256", "ES384", "PS256", "es256", ""] {
      let header = "{\"alg\":\"\(header)\",\"kid\":\"\(key.kid)\"}"
      let input = Array(signingInput(header).utf8)
      let hmac = Digest.hmacSHA256(key: Secret(key.publicJWK.jsonText.utf8), input)
      for signature in [hmac, try key.sign(input)] {
        let jws = try #require(CompactJWS(parsing: token(header, signature: signature)))
        #expect(!jws.isSigned(by: key.verifyingKey), "\(header)")
      }
    }
  }

  @Test("B30 the key's own algorithm decides: an RSA key takes no ES256 token and a P-256 key no RS256 token")
  func algorithmOfTheKey() throws {
    let rsa = try rsaKey()
    let parts = Fixtures.rs256Token.split(separator: ".")
    let renamed = Base64URL.encode(Array("{\"alg\":\"ES256\",\"kid\":\"rsa-1\"}".utf8)) + ".\(parts[1]).\(parts[2])"
    #expect(CompactJWS(parsing: Array(renamed.utf8))?.isSigned(by: rsa) == false)
    let key = try SigningKey.generate()
    let es256 = try JWT.sign(claims: Array("{}".utf8), kind: .jwt, key: key)
    #expect(CompactJWS(parsing: Array(es256.utf8))?.isSigned(by: rsa) == false)
    #expect(CompactJWS(parsing: Array(Fixtures.rs256Token.utf8))?.isSigned(by: key.verifyingKey) == false)
  }

  @Test(
    "B29 a malformed token is refused and crashes nothing",
    arguments: [
      "", ".", "..", "...", "abc", "a.b", "a.b.c.d", "e30.e30.", "eyJhbGciOiJFUzI1NiJ9.e30.", ".e30.AQ", "e30.e30.AQ",
      "e30.e30.AQ==", "é.é.é",
      "e30.e30.AQ\n", " e30.e30.AQ", "W10.e30.AQ", "bnVsbA.e30.AQ",
    ])
  func malformed(text: String) {
    #expect(CompactJWS(parsing: Array(text.utf8)) == nil)
  }

  @Test(
    "a header is refused that is no object, has a name twice, a foreign extension or members of the wrong type",
    arguments: [
      "{\"alg\":\"ES256\",\"alg\":\"ES256\"}", "{\"alg\":\"ES256\",\"\\u0061lg\":\"none\"}",
      "{\"alg\":\"ES256\",\"kid\":\"a\",\"kid\":\"b\"}", "{\"alg\":\"ES256\",\"crit\":[\"exp\"]}",
      "{\"alg\":\"ES256\",\"crit\":null}", "{\"alg\":\"ES256\",\"b64\":false}", "{\"alg\":\"ES256\",\"kid\":1}",
      "{\"alg\":\"ES256\",\"typ\":[]}", "{\"alg\":[\"ES256\"]}", "{\"alg\":null}", "{\"kid\":\"a\"}", "[]", "\"ES256\"",
      "{",
      "{\"alg\":\"ES256\"} x",
    ])
  func badHeader(header: String) {
    #expect(CompactJWS(parsing: token("{\"alg\":\"ES256\"}")) != nil)
    #expect(CompactJWS(parsing: token(header)) == nil)
  }

  @Test("a key that a header brings along is not used")
  func embeddedKey() throws {
    let (ours, attackers) = (try SigningKey.generate(), try SigningKey.generate())
    let header =
      "{\"alg\":\"ES256\",\"kid\":\"\(ours.kid)\",\"jwk\":\(attackers.publicJWK.jsonText),\"x5u\":\"https://a\"}"
    let signature = try attackers.sign(Array(signingInput(header).utf8))
    let jws = try #require(CompactJWS(parsing: token(header, signature: signature)))
    #expect(!jws.isSigned(by: ours.verifyingKey))
  }

  @Test("a token over the size limit is refused")
  func tooLong() {
    let payload = String(repeating: "a", count: Limits.identityToken)
    #expect(CompactJWS(parsing: token("{\"alg\":\"ES256\"}", payload)) == nil)
  }

  @Test("no bytes whatever crash the reader")
  func anyBytes() {
    var random = SplitMix64(seed: 7)
    let good = token(
      "{\"alg\":\"ES256\",\"kid\":\"a\"}", "{\"sub\":\"u\"}", signature: [UInt8](repeating: 9, count: 64))
    for _ in 0..<3000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = CompactJWS(parsing: Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
    }
  }
}
