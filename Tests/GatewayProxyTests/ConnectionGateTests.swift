import GatewayBase
import Testing

@testable import GatewayProxy

@Suite("Counted connections") struct ConnectionGateTests {
  @Test("all loops together have one limit, and what goes makes room")
  func total() {
    let gate = ConnectionGate(limit: 2, perAddress: 9)
    #expect(gate.enter(isService: false) && gate.enter(isService: false))
    #expect(!gate.enter(isService: false))
    #expect(!gate.enter(isService: false), "who was refused is not counted")
    gate.leave(isService: false)
    #expect(gate.enter(isService: false) && !gate.enter(isService: false))
  }

  @Test("the gateway's own listeners stay reachable when clients fill all else, and have a limit of their own")
  func services() {
    let gate = ConnectionGate(limit: 1, perAddress: 9)
    #expect(gate.enter(isService: false) && !gate.enter(isService: false))
    for _ in 0..<Limits.serviceConnections { #expect(gate.enter(isService: true)) }
    #expect(!gate.enter(isService: true))
    gate.leave(isService: true)
    #expect(gate.enter(isService: true) && !gate.enter(isService: false))
  }

  @Test("GW-103 an address has its share, an IPv6 one with all of its /64")
  func addresses() throws {
    let gate = ConnectionGate(limit: 9, perAddress: 2)
    let v6 = try ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"].map { try #require(IPAddress($0)) }
    #expect(gate.enter(v6[0]) && gate.enter(v6[1]) && !gate.enter(v6[2]) && gate.enter(v6[3]))
    #expect(gate.enter(.v4(1)) && gate.enter(.v4(1)) && !gate.enter(.v4(1)) && gate.enter(.v4(2)))
    gate.leave(v6[2])
    #expect(gate.enter(v6[0]) && !gate.enter(v6[0]))
  }

  @Test("an address without a connection is forgotten")
  func forgotten() {
    let gate = ConnectionGate(limit: 9, perAddress: 9)
    for address in UInt32(0)..<100 { #expect(gate.enter(.v4(address)) && gate.enter(.v4(address))) }
    #expect(gate.addressCount == 100)
    for address in UInt32(0)..<100 { for _ in 0..<2 { gate.leave(.v4(address)) } }
    #expect(gate.addressCount == 0)
    gate.leave(.v4(1))
    #expect(gate.addressCount == 0)
  }
}
