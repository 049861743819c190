import GatewayBase
import Testing

@Suite("Base64") struct Base64Tests {
  /// RFC 4648 section 10.
  private let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test("bytes are written with padding, or without, and read without")
  func vector() {
    for (plain, text) in vectors {
      let bytes = Array(plain.utf8)
      let bare = text.replacing("=", with: "")
      #expect(Base64.encode(bytes) == text)
      #expect(Base64.encode(bytes, isPadded: false) == bare)
      #expect(Base64.decodeUnpadded(bare.utf8) == bytes)
    }
  }

  @Test("the alphabet is that of section 4, and no other one is read")
  func alphabet() {
    #expect(Base64.encode([0xFB, 0xFF, 0xBE]) == "+/++")
    #expect(Base64.decodeUnpadded("+/++".utf8) == [0xFB, 0xFF, 0xBE])
    for wrong in ["-_--", "Zg==", "Z g", "Z"] { #expect(Base64.decodeUnpadded(wrong.utf8) == nil) }
  }
}
