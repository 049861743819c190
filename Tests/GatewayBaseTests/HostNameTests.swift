import GatewayBase
import Testing

@Suite("Host names") struct HostNameTests {
  @Test(
    "GW-99 port, case and one final dot make no other host",
    arguments: [
      "app.example", "APP.example", "aPp.Example", "app.example.", "app.example:443", "APP.EXAMPLE.:65535",
      "app.example:1",
    ])
  func sameHost(received: String) { #expect(HostName(received)?.description == "app.example") }

  @Test(
    "names of letters, digits and inner hyphens are hosts",
    arguments: ["a", "localhost", "xn--bcher-kva.example", "127.0.0.1", "a-b.c-d", "r3---sn.a", "1"])
  func names(received: String) { #expect(HostName(received)?.description == received) }

  @Test("GW-101 an A-label in upper case is the same host, other letters are none")
  func internationalNames() {
    #expect(HostName("XN--BCHER-KVA.example")?.description == "xn--bcher-kva.example")
    #expect(HostName("bücher.example") == nil)
    #expect(HostName("ａｐｐ.example") == nil)
  }

  @Test(
    "what is no host, with or without a port, is none",
    arguments: [
      "", " ", ".", "..", "a..b", ".a", "a..", "a b", "a@b/c", "a@b", "a/b", "a_b", "a,b", "a\u{0}", "a\t", "*.a",
      "%61", "-a", "a-", "a-.b", "a.-b",
      "app:0", "app:", "app:65536", "app:99999", "app:080", "app:+80", "app:80a", "app:8 0", "app:80:80", "app::80",
      ":80", "app:100000",
      "[", "]", "[]", "[::1", "::1", "[::1]x", "[::1]:", "[::1]:0", "[::1]]", "[fe80::1%eth0]", "[1.2.3.4]", "[[::1]]",
      "[v1.a]", "[::1]80",
    ])
  func noHost(received: String) { #expect(HostName(received) == nil) }

  @Test("a label has 63 bytes at most and a name 253, its final dot not counted")
  func sizes() {
    let label = String(repeating: "a", count: 63)
    #expect(HostName(label) != nil)
    #expect(HostName(label + "a") == nil)
    let longest = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
    #expect(HostName(longest)?.description.utf8.count == 253)
    #expect(HostName(longest + ".")?.description == longest)
    #expect(HostName(longest + ".:8080")?.description == longest)
    #expect(HostName(longest + "a") == nil)
    #expect(HostName(longest + "..") == nil)
    #expect(HostName(String(repeating: "a.", count: 5000)) == nil)
  }

  @Test(
    "a bracketed IPv6 address has one form",
    arguments: [
      ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]:8080", "[::1]"), ("[2001:DB8::0001]", "[2001:db8::1]"),
      ("[::ffff:1.2.3.4]", "[::ffff:102:304]"),
    ])
  func addresses(received: String, expected: String) { #expect(HostName(received)?.description == expected) }

  @Test("a buffer tells the received port and holds nothing of the host before")
  func buffer() {
    var buffer = HostBuffer()
    let isHost = HostName.canonicalize(Array("long.example:8443".utf8).span, into: &buffer)
    #expect(isHost)
    let first = (buffer.port, buffer.count)
    #expect(first == (8443, 12))
    let isHostAgain = HostName.canonicalize(Array("b".utf8).span, into: &buffer)
    #expect(isHostAgain)
    let second = (buffer.port, buffer.count, buffer.bytes[0])
    #expect(second == (nil, 1, UInt8(ascii: "b")))
    let name = HostName(buffer)
    #expect(name == HostName("B."))
  }
}
