import GatewayBase
import Testing

@Suite("Base64 for URLs") struct Base64URLTests {
  @Test(
    "the vectors of RFC 4648 come out without padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) {
    #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
    #expect(Base64URL.decode(encoded.utf8) == Array(plain.utf8))
  }

  @Test("the alphabet is the one for URLs")
  func alphabet() {
    #expect(Base64URL.encode([0xFB, 0xEF, 0xFF]) == "--__")
    #expect(Base64URL.decode("--__".utf8) == [0xFB, 0xEF, 0xFF])
    #expect(Base64URL.decode("++//".utf8) == nil)
  }

  @Test(
    "a text that no encoder writes is refused",
    arguments: ["A", "AAAAA", "Zg==", "Zm8=", "Zh", "Zm9", "Zm 9v", "Zm9v\n", "Zm9v.", "Zm\u{E9}v", "\u{0}AAA"])
  func refuses(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
  }

  @Test("every byte survives, at every length up to two blocks")
  func roundTrip() {
    for length in 0...8 {
      for first in UInt8.min...UInt8.max {
        let bytes = (0..<length).map { first &+ UInt8($0) &* 37 }
        #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
      }
    }
  }

  @Test("of all two-letter texts exactly those of one byte decode")
  func oneTextForOneValue() {
    let letters = (UInt8.min...UInt8.max)
    let decodable = letters.reduce(0) { count, a in
      count + letters.filter { Base64URL.decode([a, $0]) != nil }.count
    }
    #expect(decodable == 256)
  }
}
