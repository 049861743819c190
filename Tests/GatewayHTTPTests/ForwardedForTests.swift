import GatewayBase
import Testing

@testable import GatewayHTTP

@Suite("X-Forwarded-For") struct ForwardedForTests {
  /// Who asks, where 10.0.0.0/8 and fd00::/8 are trusted and the peer is 10.0.0.9.
  private func client(_ values: String...) throws -> String {
    let head = Array(
      ("GET / HTTP/1.1\r\nHost: a\r\n" + values.map { "X-Forwarded-For: \($0)\r\nX-Other: 7.7.7.7\r\n" }.joined()
        + "\r\n").utf8)
    var fields = FieldTable()
    _ = try RequestParser.parse(head.span, into: &fields)
    let trusted = [
      AddressRange(address: .v4(10 << 24), prefix: 8),
      AddressRange(address: .v6(IPv6Number(high: 0xFD << 56, low: 0)), prefix: 8),
    ]
    return ForwardedFor.client(head.span, fields, peer: .v4(10 << 24 | 9)) { address in
      trusted.contains { $0.contains(address) }
    }.description
  }

  @Test(
    "GW-102 the walk goes from the right over trusted addresses to the first that is not",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("1.1.1.1, 192.0.2.1", "192.0.2.1"), ("1.1.1.1, 192.0.2.1, 10.0.0.1", "192.0.2.1"),
      ("1.1.1.1,10.0.0.2 ,\t10.0.0.1", "1.1.1.1"), ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
      ("2001:db8::1, fd00::1", "2001:db8::1"),
    ])
  func walk(value: String, client expected: String) throws { #expect(try client(value) == expected) }

  @Test("GW-102 several lines are one list")
  func lines() throws {
    #expect(try client("1.1.1.1", "192.0.2.1, 10.0.0.1") == "192.0.2.1")
    #expect(try client("192.0.2.1", "10.0.0.1") == "192.0.2.1")
    #expect(try client("10.0.0.5", "10.0.0.1") == "10.0.0.5")
    #expect(try client() == "10.0.0.9")
  }

  @Test(
    "GW-102 an entry that is no address ends the walk: the last good one counts",
    arguments: [
      ("1.1.1.1, unknown, 10.0.0.1", "10.0.0.1"), ("1.1.1.1, unknown", "10.0.0.9"), ("", "10.0.0.9"),
      ("1.1.1.1, , 10.0.0.1", "10.0.0.1"), ("1.1.1.1,", "10.0.0.9"), (",", "10.0.0.9"), ("_hidden", "10.0.0.9"),
      ("1.1.1.1, 10.0.0.01", "10.0.0.9"), ("1.1.1", "10.0.0.9"), ("1.1.1.1:", "10.0.0.9"),
      ("1.1.1.1:123456", "10.0.0.9"), ("1.1.1.1:x", "10.0.0.9"), ("[1.1.1.1]", "10.0.0.9"), ("[::1", "10.0.0.9"),
      ("[::1]x", "10.0.0.9"), ("[::1]:", "10.0.0.9"), ("[]", "10.0.0.9"), ("fe80::1%eth0", "10.0.0.9"),
      ("\"1.1.1.1\"", "10.0.0.9"), ("for=1.1.1.1", "10.0.0.9"), (":", "10.0.0.9"), ("1.1.1.1 2.2.2.2", "10.0.0.9"),
    ])
  func garbage(value: String, client expected: String) throws { #expect(try client(value) == expected) }

  @Test(
    "GW-103 ports and brackets are stripped, and mapped addresses unmapped",
    arguments: [
      ("1.2.3.4:5", "1.2.3.4"), ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
      ("::ffff:1.2.3.4", "1.2.3.4"), ("[::ffff:1.2.3.4]:80", "1.2.3.4"), ("1.1.1.1, ::ffff:10.0.0.1", "1.1.1.1"),
      ("2001:DB8::0:1", "2001:db8::1"),
    ])
  func forms(value: String, client expected: String) throws { #expect(try client(value) == expected) }

  @Test("no value traps, and what is told is always an address of the value or the peer's")
  func mutations() throws {
    var random = SplitMix64(seed: 11)
    let alphabet = Array("0123456789abf:.[], \t\"%".utf8)
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...24, using: &random)
      let value = (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
      #expect(IPAddress(try client(String(decoding: value, as: UTF8.self))) != nil)
    }
  }
}
