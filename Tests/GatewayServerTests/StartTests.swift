import Testing

@testable import GatewayConfig
@testable import GatewayServer

@Suite("What a start makes of the configuration") struct StartTests {
  @Test("client connections leave a quarter of the descriptors to backends, and never more are taken than configured")
  func connections() {
    var limits = LimitConfiguration()
    limits.maxConnections = 100_000
    #expect(limits.connections(within: 1_048_576) == 100_000)
    #expect(limits.connections(within: 20_000) == 14_900)
    #expect(limits.connections(within: 1024) == 668)
    #expect(limits.connections(within: 100) == 1)
    #expect(limits.connections(within: 0) == 1)
    #expect(limits.connections(within: .max) == 100_000)
    limits.maxConnections = 10
    #expect(limits.connections(within: 1024) == 10)
  }
}
