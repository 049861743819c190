import GatewayBase
import Testing

@Suite("Secrets") struct SecretTests {
  private struct Holder {
    let name = "key"
    let secret = Secret("swordfish".utf8)
  }

  @Test("no way of printing a secret shows it")
  func unprintable() {
    let secret = Secret("swordfish".utf8)
    var dumped = ""
    dump(Holder(), to: &dumped)
    dump(secret, to: &dumped)
    for text in [
      "\(secret)", String(describing: secret), String(reflecting: secret), String(describing: Optional(secret)),
      String(describing: [secret]), String(reflecting: Holder()), dumped,
    ] {
      #expect(text.contains("<secret>") || text.contains("secret"))
      #expect(!text.contains("swordfish"))
      // The bytes as numbers would be as good as the text.
      #expect(!text.contains("115"))
    }
  }

  @Test("only reveal gives the bytes")
  func reveals() {
    #expect(Secret("swordfish".utf8).reveal() == Array("swordfish".utf8))
  }

  @Test("secrets are equal where all their bytes are")
  func equality() {
    #expect(Secret([1, 2, 3]) == Secret([1, 2, 3]))
    #expect(Secret([1, 2, 3]) != Secret([1, 2, 4]))
    #expect(Secret([1, 2, 3]) != Secret([1, 2]))
    #expect(Secret([UInt8]()) == Secret([UInt8]()))
    #expect(constantTimeEqual([0, 255], [0, 255]) && !constantTimeEqual([1, 255], [0, 255]))
  }
}
