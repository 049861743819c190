import Foundation
import GatewayBase
import Testing

@Suite("UUIDs") struct UUIDTextTests {
  @Test("sixteen bytes print in lower case with the version and variant set")
  func prints() {
    let bytes = [UInt8](repeating: 0xFF, count: 16)
    #expect(UUIDText(bytes: bytes, version: 5).description == "ffffffff-ffff-5fff-bfff-ffffffffffff")
    #expect(
      UUIDText(bytes: Array(0..<16), version: 4).description == "00010203-0405-4607-8809-0a0b0c0d0e0f")
  }

  @Test("random ones are of version 4, readable by others, and differ")
  func random() throws {
    let texts = (0..<1000).map { _ in UUIDText.random().description }
    #expect(Set(texts).count == 1000)
    for text in texts {
      #expect(UUID(uuidString: text)?.uuidString.lowercased() == text)
      #expect(Array(text)[14] == "4")
      #expect("89ab".contains(Array(text)[19]))
    }
  }
}
