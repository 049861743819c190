import GatewayBase
import GatewayCrypto
import Testing

@Suite("Key sets")
struct JSONWebKeyTests {
  private func set(_ keys: String...) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
  }

  private func rsa(_ members: String = "\"kid\":\"a\"", n: String = Fixtures.rsaModulus, e: String = "AQAB") -> String {
    "{\"kty\":\"RSA\",\"n\":\"\(n)\",\"e\":\"\(e)\",\(members)}"
  }

  /// A key on P-256 as JSON, under another id.
  private func p256(_ kid: String, _ key: SigningKey, extra: String = "") -> String {
    let json = key.publicJWK.jsonText.replacing("\"kid\":\"\(key.kid)\"", with: "\"kid\":\"\(kid)\"")
    return extra.isEmpty ? json : json.dropLast() + "," + extra + "}"
  }

  @Test("B21 the key of a set is chosen by its id, never by its place, and an unknown id has none")
  func byID() throws {
    let keys = try (0..<3).map { _ in try SigningKey.generate() }
    let set = try set(p256("k0", keys[0]), p256("k1", keys[1]), p256("k2", keys[2]))
    let token = try JWT.sign(claims: Array("{}".utf8), kind: .jwt, key: keys[1])
    let jws = try #require(CompactJWS(parsing: Array(token.utf8)))
    let answers = ["k0", "k1", "k2"].map { kid in set[kid].map(jws.isSigned(by:)) }
    #expect(answers == [false, true, false])
    #expect(set["k3"] == nil)
    #expect(set[""] == nil)
  }

  @Test("a key without an id can't be found, as there is no default key")
  func withoutID() throws {
    #expect(try set(rsa("\"use\":\"sig\"")).count == 0)
    #expect(try set(rsa("\"kid\":\"\"")).count == 0)
    #expect(try set(rsa("\"kid\":7")).count == 0)
  }

  @Test("a key that is not meant for signatures, or carries a private part, is skipped and the others stay")
  func skipped() throws {
    let good = rsa("\"kid\":\"good\"")
    for members in [
      "\"use\":\"enc\"", "\"key_ops\":[\"sign\"]", "\"key_ops\":\"verify\"", "\"alg\":\"RS512\"", "\"alg\":\"ES256\"",
      "\"alg\":\"HS256\"", "\"alg\":1", "\"use\":null", "\"d\":\"AQAB\"",
    ] {
      let set = try set(rsa("\"kid\":\"bad\",\(members)"), good)
      #expect(set["bad"] == nil, "\(members)")
      #expect(set["good"] != nil, "\(members)")
    }
    for entry in [
      "{}", "7", "null", "[]", "{\"kty\":\"oct\",\"k\":\"AAAA\",\"kid\":\"bad\"}", "{\"kty\":\"OKP\",\"kid\":\"bad\"}",
    ] {
      #expect(try set(entry, good).count == 1, "\(entry)")
    }
    #expect(try set(rsa("\"kid\":\"a\",\"use\":\"sig\",\"alg\":\"RS256\",\"key_ops\":[\"verify\"]"))["a"] != nil)
  }

  @Test("an RSA key that is too short or too long, even, with a small factor or a weak exponent is skipped")
  func unsoundRSA() throws {
    var modulus = try #require(Base64URL.decode(Array(Fixtures.rsaModulus.utf8)))
    #expect(try set(rsa())["a"]?.algorithm == .rs256)
    #expect(try set(rsa(n: Base64URL.encode([0] + modulus)))["a"] != nil, "a leading zero changes no number")
    for exponent in ["AQ", "Aw", "AQAA", "", "AQAAAAE", "*"] {
      #expect(try set(rsa(e: exponent)).count == 0, "exponent \(exponent)")
    }
    #expect(try set(rsa(n: Fixtures.shortRSAModulus)).count == 0)
    #expect(try set(rsa(n: "")).count == 0)
    #expect(try set(rsa(n: Base64URL.encode([UInt8](repeating: 0xFF, count: 1025)))).count == 0)
    #expect(try set(rsa(n: Base64URL.encode([UInt8](repeating: 0xFF, count: 256)))).count == 0, "a multiple of 3")
    modulus[modulus.count - 1] &= 0xFE
    #expect(try set(rsa(n: Base64URL.encode(modulus))).count == 0, "an even number")
  }

  @Test("a point off the curve, a short coordinate and another curve are skipped")
  func unsoundPoint() throws {
    let key = try SigningKey.generate()
    let good = p256("a", key)
    let json = try JSONValue(parsing: Array(good.utf8))
    let x = try #require(json["x"]?.string)
    let y = try #require(json["y"]?.string)
    #expect(try set(good).count == 1)
    #expect(try set(good.replacing(x, with: y)).count == 0)
    #expect(try set(good.replacing(x, with: "AAAA")).count == 0)
    #expect(try set(good.replacing("P-256", with: "P-384")).count == 0)
    #expect(try set(good.replacing(x, with: Base64URL.encode([UInt8](repeating: 0xFF, count: 32)))).count == 0)
  }

  @Test("an id that two different keys share stands for neither; the same key twice is one key")
  func duplicateID() throws {
    let (one, two) = (try SigningKey.generate(), try SigningKey.generate())
    let ambiguous = try set(p256("a", one), p256("a", two), p256("a", one), p256("b", one))
    #expect(ambiguous["a"] == nil)
    #expect(ambiguous["b"] != nil)
    #expect(try set(p256("a", one), p256("a", one))["a"] == one.verifyingKey)
    #expect(try set(p256("a", one), p256("a", two, extra: "\"d\":\"AAAA\""))["a"] == one.verifyingKey)
  }

  @Test(
    "what is no key set is refused",
    arguments: [
      "", "<html>", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[]", "{\"keys\":[],\"keys\":[]}", "\u{FEFF}{\"keys\":[]}",
    ])
  func notAKeySet(text: String) {
    #expect(throws: JSONWebKeySet.Malformed.notAKeySet) { try JSONWebKeySet(parsing: Array(text.utf8)) }
  }

  @Test("a set over the limit of keys is refused")
  func tooManyKeys() throws {
    let entries = [String](repeating: "{}", count: Limits.keySetKeys + 1).joined(separator: ",")
    #expect(throws: JSONWebKeySet.Malformed.tooManyKeys) {
      try JSONWebKeySet(parsing: Array("{\"keys\":[\(entries)]}".utf8))
    }
  }
}
