import GatewayBase
import GatewayCrypto
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
  private let message = Array("message".utf8)

  @Test("a signature is 64 bytes and good under the key's public half alone")
  func signAndVerify() throws {
    let key = try SigningKey.generate()
    // Many, so that short numbers r and s, which need padding, occur.
    for round in 0..<600 {
      let message = Array("message \(round)".utf8)
      let signature = try key.sign(message)
      #expect(signature.count == 64)
      #expect(key.verifyingKey.verify(signature: signature, over: message))
    }
    let signature = try key.sign(message)
    #expect(!key.verifyingKey.verify(signature: signature, over: message + [0]))
    #expect(!(try SigningKey.generate()).verifyingKey.verify(signature: signature, over: message))
  }

  @Test("an ES256 signature with one byte more, one less or none is bad")
  func signatureLength() throws {
    let key = try SigningKey.generate()
    let signature = try key.sign(message)
    for wrong in [signature + [0], [0] + signature, signature.dropLast(), []] {
      #expect(!key.verifyingKey.verify(signature: Array(wrong), over: message))
    }
  }

  @Test("a key survives its PEM form with the same id")
  func pem() throws {
    let key = try SigningKey.generate()
    let pem = try key.pem()
    #expect(String(decoding: pem.reveal(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try SigningKey(pem: pem)
    #expect(again.kid == key.kid)
    #expect(key.verifyingKey.verify(signature: try again.sign(message), over: message))
  }

  @Test(
    "text that holds no private key is refused as unreadable", arguments: ["", "x", "-----BEGIN PRIVATE KEY-----\n"])
  func unreadable(text: String) {
    #expect(throws: CryptoError.unreadableKey) { try SigningKey(pem: Secret(text.utf8)) }
  }

  @Test("a truncated or altered key file never makes a key")
  func damaged() throws {
    let pem = try SigningKey.generate().pem().reveal()
    for count in stride(from: 0, to: pem.count - 30, by: 7) {
      #expect(throws: CryptoError.self) { try SigningKey(pem: Secret(pem.prefix(count))) }
    }
  }

  @Test("a key of another curve and an encrypted key are refused")
  func unsuitable() throws {
    #expect(throws: CryptoError.unsuitableKey) { try SigningKey(pem: Secret(Fixtures.p384PrivateKey.utf8)) }
    #expect(throws: CryptoError.unsuitableKey) { try SigningKey(pem: Secret(Fixtures.ed25519PrivateKey.utf8)) }
    #expect(throws: CryptoError.unreadableKey) { try SigningKey(pem: Secret(Fixtures.encryptedPrivateKey.utf8)) }
  }

  @Test("the id is the thumbprint of RFC 7638 and the published form is the key")
  func publicForm() throws {
    let key = try SigningKey.generate()
    let json = try JSONValue(parsing: Array(key.publicJWK.jsonText.utf8))
    let x = try #require(json["x"]?.string)
    let y = try #require(json["y"]?.string)
    let input = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}"
    #expect(key.kid == Base64URL.encode(Digest.sha256(Array(input.utf8))))
    #expect(json["kid"]?.string == key.kid)
    #expect(json["use"]?.string == "sig")
    #expect(json["alg"]?.string == "ES256")
    #expect(json["d"] == nil)
    let set = try JSONWebKeySet(parsing: JSONWebKeySet.jsonBytes([key.publicJWK]))
    #expect(set[key.kid] == key.verifyingKey)
  }

  @Test("one key verifies from many threads at once")
  func threads() async throws {
    let key = try SigningKey.generate()
    let message = message
    let signature = try key.sign(message)
    await withTaskGroup(of: Bool.self) { group in
      for round in 0..<64 {
        group.addTask {
          key.verifyingKey.verify(signature: signature, over: round % 2 == 0 ? message : [1]) == (round % 2 == 0)
        }
      }
      for await right in group { #expect(right) }
    }
  }
}
