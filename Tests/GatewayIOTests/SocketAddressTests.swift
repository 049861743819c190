import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayIO

@Suite struct SocketAddressTests {
  @Test(
    "Literals are read and written in one form",
    arguments: [
      ("127.0.0.1", "127.0.0.1:80"), ("255.255.255.255", "255.255.255.255:80"), ("::1", "[::1]:80"),
      ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"), ("::", "[::]:80"),
    ])
  func literals(literal: String, description: String) {
    #expect(SocketAddress(literal: literal, port: 80)?.description == description)
  }

  @Test(
    "What is no literal is none",
    arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "::1::", "1.2.3.4:80", " 1.2.3.4"])
  func noLiterals(text: String) {
    #expect(SocketAddress(literal: text, port: 80) == nil)
  }

  @Test("GW-103 an IPv4 address carried by IPv6 is the IPv4 address")
  func mapped() {
    let plain = SocketAddress(literal: "10.0.0.1", port: 1)
    #expect(SocketAddress(literal: "::ffff:10.0.0.1", port: 1) == plain)
  }

  @Test("Loopback is 127.0.0.0/8 and ::1, mapped or not")
  func loopback() {
    let isLoopback = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "128.0.0.1", "::2", "10.0.0.1"]
      .map { SocketAddress(literal: $0, port: 0)?.isLoopback }
    #expect(isLoopback == [true, true, true, true, false, false, false])
  }
}

@Suite struct NameResolverTests {
  @Test("A literal resolves to itself without a look-up")
  func literal() throws {
    #expect(try NameResolver.resolve("192.0.2.7", port: 5).map(\.description) == ["192.0.2.7:5"])
    #expect(try NameResolver.resolve("::1", port: 5).map(\.description) == ["[::1]:5"])
  }

  @Test("The machine's own name resolves to loopback, each address once")
  func localhost() throws {
    let found = Monitor<[SocketAddress]?>(nil)
    try NameResolver().find("localhost", port: 8080) { addresses in found.change { $0 = addresses } }
    let addresses = try #require(found.wait { $0 })
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 8080 })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test("A name that can't be looked up is an error")
  func unknown() {
    #expect(throws: SystemError.self) { try NameResolver.resolve("no such name", port: 1) }
  }
}
