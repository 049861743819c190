import GatewayBase
import Testing

@Suite("IPv6 addresses") struct IPv6AddressTests {
  private func parse(_ text: String) -> IPv6Address? { IPv6Address(Array(text.utf8).span) }

  @Test(
    "every text of an address has one canonical text",
    arguments: [
      ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
      ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("2001:0DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
      ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("fe80::A", "fe80::a"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
      ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("0:0:0:0:0:0:0:0", "::"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
    ])
  func canonical(text: String, expected: String) throws {
    let address = try #require(parse(text))
    #expect(address.description == expected)
    #expect(parse(expected) == address)
  }

  @Test(
    "what is no address is none",
    arguments: [
      "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", ":1::", "1:", "::1:", "g::",
      "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
      "1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::256.1.1.1", "::01.2.3.4", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
      "::1%eth0", " ::1", "::1 ", "::.1.2.3", "::1..2.3",
    ])
  func noAddress(text: String) { #expect(parse(text) == nil) }
}
