import Testing

@testable import GatewayTLS

@Suite struct ClientHelloTests {
  private func name(_ bytes: [UInt8]) -> ClientHello.ServerName { ClientHello.serverName(bytes.span) }

  private func extended(_ name: String) -> [UInt8] {
    let text = Array(name.utf8)
    return [0, UInt8(text.count + 3), 0, 0, UInt8(text.count)] + text
  }

  @Test("A name is read in lower case and without its final dot; what is no host name is for no certificate")
  func names() {
    #expect(name(extended("a.test")) == .name("a.test"))
    #expect(name(extended("A.Test.")) == .name("a.test"))
    #expect(name(extended("*.test")) == .unservable)
    #expect(name(extended("a_b.test")) == .unservable)
    #expect(name(extended("a.test:443")) == .unservable)
    #expect(name(extended("a\u{0}.test")) == .unservable)
  }

  @Test("Lengths that do not fit are malformed, never read past")
  func malformedNames() {
    let good = extended("a.test")
    for count in 0..<good.count { #expect(name(Array(good.prefix(count))) == .malformed) }
    #expect(name(good + [0]) == .malformed)
    #expect(name([0, 3, 0, 0, 0]) == .malformed)
    #expect(name([0, 9, 1, 0, 6] + Array("a.test".utf8)) == .malformed)
    #expect(name([255, 255, 0, 255, 255]) == .malformed)
  }

  private func choice(_ names: [String], _ offered: [ApplicationProtocol]) -> ProtocolChoice {
    let list = names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    return ClientHello.protocolChoice(([0, UInt8(list.count)] + list).span, of: offered)
  }

  @Test("Our order of protocols decides, and names are compared whole")
  func protocols() {
    #expect(choice(["http/1.1", "h2"], [.http2, .http1]) == .chosen(.http2))
    #expect(choice(["h2", "http/1.1"], [.http1, .http2]) == .chosen(.http1))
    #expect(choice(["h3", "http/1.1"], [.http2, .http1]) == .chosen(.http1))
    #expect(choice(["h2c", "http/1.0", "H2", "h"], [.http2, .http1]) == .noneInCommon)
    #expect(choice(["h2"], []) == .noneInCommon)
  }

  @Test("A list of protocols whose lengths do not fit is malformed")
  func malformedProtocols() {
    for bytes: [UInt8] in [
      [], [0], [0, 0], [0, 1, 0], [0, 3, 3, 0x68, 0x32], [0, 4, 2, 0x68, 0x32], [0, 4, 2, 0x68, 0x32, 0],
    ] {
      #expect(ClientHello.protocolChoice(bytes.span, of: [.http2]) == .malformed)
    }
  }
}
