import Testing

@testable import SpeedAuth

@Suite("SpeedAuth: nonces and code verifiers") struct SHA256Tests {
  @Test(
    "digests are those of FIPS 180-4, on both sides of a block's end",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ])
  func vectors(text: String, digest: String) {
    #expect(SHA256.hex(text) == digest)
  }

  @Test("a challenge is that of RFC 7636, appendix B")
  func challenge() {
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    #expect(
      Base64URL.encode(SHA256.digest(Array(verifier.utf8))) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("a nonce is long enough, of safe characters, and never the same")
  func nonces() {
    let nonces = (0..<100).map { _ in AppleNonce() }
    #expect(Set(nonces.map(\.raw)).count == 100)
    #expect(nonces.allSatisfy { $0.raw.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil })
    #expect(nonces.allSatisfy { $0.hashed == SHA256.hex($0.raw) })
  }
}
