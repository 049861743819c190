import GatewayBase
import GatewayCrypto
import Testing

@Suite("Digests")
struct DigestTests {
  private let abc = Array("abc".utf8)
  private let sha256OfABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private let sha256OfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test("SHA-256 gives the digests of FIPS 180")
  func sha256() {
    #expect(Hex.encode(Digest.sha256(abc)) == sha256OfABC)
    #expect(Hex.encode(Digest.sha256([])) == sha256OfNothing)
  }

  @Test("one hasher gives the right digest again and again, whatever it hashed before")
  func hasher() {
    let hasher = SHA256Hasher()
    let long = [UInt8](repeating: 0x61, count: 100_000)
    for _ in 0..<3 {
      let digests = [hasher.digest(abc.span), hasher.digest([UInt8]().span), hasher.digest(long.span)]
      #expect(digests.map(\.bytes).map(Hex.encode) == [sha256OfABC, sha256OfNothing, Hex.encode(Digest.sha256(long))])
    }
  }

  @Test("digests are equal exactly where their messages are")
  func equality() {
    let hasher = SHA256Hasher()
    let digests = [hasher.digest(abc.span), hasher.digest(abc.span), hasher.digest([UInt8]().span)]
    #expect(digests[0] == digests[1])
    #expect(digests[0] != digests[2])
    #expect(Set(digests).count == 2)
    #expect(digests[0].first == 0xBA78_16BF_8F01_CFEA)
  }

  @Test("HMAC-SHA256 gives the values of RFC 4231")
  func hmac() {
    let value = Digest.hmacSHA256(key: Secret("Jefe".utf8), Array("what do ya want for nothing?".utf8))
    #expect(Hex.encode(value) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let longKey = Secret([UInt8](repeating: 0xAA, count: 131))
    let other = Digest.hmacSHA256(key: longKey, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
    #expect(Hex.encode(other) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("a named UUID is the one of RFC 9562, appendix A.4")
  func namedUUID() {
    // The RFC's own example: the name www.example.com in the namespace of domain names.
    let dns = UUIDText(
      bytes: [0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8],
      version: 1)
    #expect(
      UUIDText.named(Array("www.example.com".utf8), in: dns).description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
  }
}
