import GatewayBase
import GatewayCrypto
import Testing

@Suite("RSA signing keys")
struct RSASigningKeyTests {
  private let message = Array("message".utf8)

  @Test("a signature is 256 bytes, and good under the published key of its id alone")
  func signAndVerify() throws {
    let keys = [try RSASigningKey.generate(kid: "a"), try RSASigningKey.generate(kid: "b")]
    let set = try JSONWebKeySet(parsing: JSONWebKeySet.jsonBytes(keys.map(\.publicJWK)))
    let signature = try keys[0].sign(message)
    #expect(signature.count == 256)
    #expect(set["a"]?.algorithm == .rs256)
    #expect(set["a"]?.verify(signature: signature, over: message) == true)
    #expect(set["a"]?.verify(signature: signature, over: message + [0]) == false)
    #expect(set["b"]?.verify(signature: signature, over: message) == false)
  }

  @Test("the published form has what Apple's keys have, and no private part")
  func publicForm() throws {
    let key = try RSASigningKey.generate(kid: "T8tIJ1zSrO")
    let json = try JSONValue(parsing: Array(key.publicJWK.jsonText.utf8))
    #expect(json.object.map { Set($0.keys) } == ["kty", "kid", "use", "alg", "n", "e"])
    #expect(json["kty"]?.string == "RSA" && json["use"]?.string == "sig" && json["alg"]?.string == "RS256")
    #expect(json["kid"]?.string == "T8tIJ1zSrO" && key.kid == "T8tIJ1zSrO")
    #expect(json["e"]?.string == "AQAB")
    let modulus = try #require(json["n"]?.string.flatMap { Base64URL.decode(Array($0.utf8)) })
    #expect(modulus.count == 256 && modulus[0] >= 0x80)
  }
}
