import GatewayBase
import Testing

@Suite("Hexadecimal") struct HexTests {
  @Test("bytes are written as two lower-case digits each")
  func encodes() {
    #expect(Hex.encode([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    #expect(Hex.encode([]) == "")
  }

  @Test("digits of both cases have a value, and nothing else has")
  func values() {
    let digits = (UInt8.min...UInt8.max).filter { Hex.value(of: $0) != nil }
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
    for value in 0..<UInt8(16) { #expect(Hex.value(of: Hex.digit(value)) == value) }
    #expect(Hex.value(of: UInt8(ascii: "F")) == 15)
  }
}
