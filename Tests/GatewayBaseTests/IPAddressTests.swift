import GatewayBase
import Testing

@Suite("IP addresses") struct IPAddressTests {
  @Test(
    "every text of an address has one canonical text",
    arguments: [
      ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
      ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("2001:0DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
      ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("fe80::A", "fe80::a"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
      ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("0:0:0:0:0:0:0:0", "::"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("::ffff:1.2.3.4", "::ffff:102:304"), ("0.0.0.0", "0.0.0.0"),
      ("255.254.10.1", "255.254.10.1"),
    ])
  func canonical(text: String, expected: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == expected)
    #expect(IPAddress(expected) == address)
  }

  @Test(
    "what is no address is none",
    arguments: [
      "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", ":1::", "1:", "::1:", "g::",
      "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
      "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", "0x7f.1.1.1", "1.2.3.4::", "::+1",
      "::1.2.3", "::1.2.3.4.5", "::256.1.1.1", "::01.2.3.4", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
      "::1%eth0", " ::1", "::1 ", "::.1.2.3", "::1..2.3",
    ])
  func noAddress(text: String) { #expect(IPAddress(text) == nil) }

  @Test(
    "this machine is 127.0.0.0/8 and ::1, also written as IPv4-mapped",
    arguments: [
      ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
      ("0.0.0.0", false), ("::", false), ("::2", false), ("::127.0.0.1", false), ("64:ff9b::127.0.0.1", false),
    ])
  func loopback(text: String, isLoopback: Bool) throws {
    #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
  }

  @Test(
    "link-local addresses are seen through IPv4-mapped and NAT64 forms",
    arguments: [
      ("169.254.0.1", true), ("::ffff:169.254.1.1", true), ("64:ff9b::a9fe:1", true), ("fe80::1", true),
      ("febf:ffff::", true), ("169.253.0.1", false), ("fec0::1", false), ("fe7f::1", false), ("::a9fe:1", false),
    ])
  func linkLocal(text: String, isLinkLocal: Bool) throws {
    #expect(try #require(IPAddress(text)).isLinkLocal == isLinkLocal)
  }
}
