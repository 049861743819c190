import GatewayBase
import GatewayHTTP
import Testing

@Suite("PROXY protocol") struct ProxyAnnouncementTests {
  private func read(_ bytes: [UInt8]) -> ProxyAnnouncement.Verdict { ProxyAnnouncement.read(bytes.span) }
  private func read(_ text: String) -> ProxyAnnouncement.Verdict { read(Array(text.utf8)) }

  private func source(_ address: String, _ port: UInt16) throws -> SocketAddress {
    SocketAddress(host: try #require(IPAddress(address)), port: port)
  }

  /// Version 2 with these bytes behind its length.
  private func binary(
    command: UInt8 = 0x21, family: UInt8 = 0x11, _ rest: [UInt8], length: Int? = nil
  ) -> [UInt8] {
    let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    let length = length ?? rest.count
    return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
  }

  private let ipv4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xDC, 0x04, 0x01, 0xBB]
  private let ipv6: [UInt8] =
    [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 0, count: 16) + [0, 5, 1, 0xBB]

  /// Every beginning of a good announcement is incomplete, and what follows it is left alone.
  private func expect(_ bytes: [UInt8], _ source: SocketAddress?, location: SourceLocation = #_sourceLocation) {
    for count in 0..<bytes.count {
      #expect(read(Array(bytes[..<count])) == .incomplete, "\(count)", sourceLocation: location)
    }
    let whole = ProxyAnnouncement.Verdict.complete(count: bytes.count, source: source)
    #expect(read(bytes) == whole, sourceLocation: location)
    #expect(read(bytes + Array("GET / HTTP/1.1\r\n".utf8)) == whole, sourceLocation: location)
    #expect(read(bytes + [0x16, 3, 1]) == whole, sourceLocation: location)
  }

  @Test("a line of version 1 tells the source")
  func text() throws {
    expect(
      Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8), try source("192.0.2.1", 56324))
    expect(Array("PROXY TCP6 2001:db8::1 ::1 5 443\r\n".utf8), try source("2001:db8::1", 5))
    expect(Array("PROXY TCP6 ::ffff:192.0.2.1 ::1 0 65535\r\n".utf8), try source("192.0.2.1", 0))
    let longest =
      "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n"
    expect(Array(longest.utf8), try source("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535))
  }

  @Test("UNKNOWN keeps the peer, whatever follows it on its line")
  func unknown() {
    expect(Array("PROXY UNKNOWN\r\n".utf8), nil)
    expect(Array("PROXY UNKNOWN ffff::1 whatever  65535\r\n".utf8), nil)
  }

  @Test(
    "what is not of the protocol's form is malformed",
    arguments: [
      "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n", "PROXY\r\n", "PROXY \r\n", "proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
      "PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 \r\n",
      "PROXY  TCP4 1.1.1.1 2.2.2.2 1 2\r\n", "PROXY TCP4 1.1.1.1  2.2.2.2 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
      "PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", "PROXY TCP4 01.1.1.1 2.2.2.2 1 2\r\n", "PROXY TCP4 1.1.1.1 x 1 2\r\n",
      "PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n", "PROXY TCP4 1.1.1.1 2.2.2.2 65536 2\r\n",
      "PROXY TCP4 1.1.1.1 2.2.2.2 1 -2\r\n", "PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\rx",
      "PROXY TCP41.1.1.1 2.2.2.2 1 2\r\n", "\r\nPROXY UNKNOWN\r\n", "\u{16}\u{3}\u{1}",
    ])
  func malformedText(text: String) { #expect(read(text) == .malformed) }

  @Test("a line that has no end within 107 bytes is malformed")
  func endless() {
    let start = "PROXY UNKNOWN "
    let longest = start + String(repeating: "x", count: 105 - start.utf8.count) + "\r\n"
    #expect(read(longest) == .complete(count: 107, source: nil))
    #expect(read(start + String(repeating: "x", count: 106 - start.utf8.count)) == .malformed)
  }

  @Test("a header of version 2 tells the source, and what follows the addresses is skipped")
  func binaryForm() throws {
    expect(binary(ipv4), try source("192.0.2.1", 56324))
    expect(binary(ipv4 + [0x03, 0, 4, 1, 2, 3, 4]), try source("192.0.2.1", 56324))
    expect(binary(family: 0x21, ipv6), try source("2001:db8::1", 5))
  }

  @Test("LOCAL and families without an address keep the peer")
  func local() {
    expect(binary(command: 0x20, family: 0, []), nil)
    expect(binary(command: 0x20, ipv4), nil)
    expect(binary(family: 0, []), nil)
    expect(binary(family: 0, [1, 2, 3]), nil)
    expect(binary(family: 0x31, Array(repeating: 0, count: 216)), nil)
    expect(binary(family: 0x12, ipv4), nil)
  }

  @Test("another version, command, family or length is malformed")
  func malformedBinary() {
    #expect(read(binary(command: 0x11, ipv4)) == .malformed)
    #expect(read(binary(command: 0x22, ipv4)) == .malformed)
    #expect(read(binary(family: 0x41, ipv4)) == .malformed)
    #expect(read(binary(family: 0x13, ipv4)) == .malformed)
    #expect(read(binary(Array(ipv4.dropLast()))) == .malformed)
    #expect(read(binary(family: 0x21, Array(ipv6.dropLast()))) == .malformed)
    #expect(read(binary([], length: Limits.proxyAnnouncement - 15)) == .malformed)
    #expect(read(binary([], length: Limits.proxyAnnouncement - 16)) == .incomplete)
    var damaged = binary(ipv4)
    damaged[4] = 1
    #expect(read(damaged) == .malformed)
  }

  @Test("no bytes trap, and none that did not come are ever taken")
  func mutations() {
    var random = SplitMix64(seed: 7)
    let seeds = [
      Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8), Array("PROXY TCP6 ::1 ::1 5 443\r\n".utf8),
      binary(ipv4), binary(family: 0x21, ipv6 + [1, 2, 3]), binary(command: 0x20, family: 0, []),
    ]
    for round in 0..<20_000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      if case .complete(let count, _) = read(bytes) { #expect((15...bytes.count).contains(count)) }
    }
  }
}
