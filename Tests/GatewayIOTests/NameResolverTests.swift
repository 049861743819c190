import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayIO

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
