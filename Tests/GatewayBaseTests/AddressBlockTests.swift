import GatewayBase
import Testing

@Suite("Blocks of addresses") struct AddressBlockTests {
  private func block(_ text: String) throws -> AddressBlock { AddressBlock(try #require(IPAddress(text))) }

  @Test("GW-103 one user has a /64, so all of it counts as one")
  func prefix() throws {
    #expect(try block("2001:db8:1:2::1") == block("2001:db8:1:2:ffff:ffff:ffff:ffff"))
    #expect(try block("2001:db8:1:2::1") != block("2001:db8:1:3::1"))
  }

  @Test("IPv4 addresses count one by one, also where they came mapped")
  func ipv4() throws {
    #expect(try block("192.0.2.1") == block("::ffff:192.0.2.1"))
    #expect(try block("192.0.2.1") != block("192.0.2.2"))
    #expect(try block("0.0.0.0") != block("::"))
  }
}
