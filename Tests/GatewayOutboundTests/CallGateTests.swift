import GatewayBase
import GatewayOutbound
import Testing

@Suite("Hosts that do not answer") struct CallGateTests {
  /// A gate that a test asks in expectations.
  private final class Host {
    private var gate = CallGate()

    func mayCall(_ origin: String = "a", at now: UInt64 = 0) -> Bool { gate.mayCall(origin, now: now) }

    func answers(at now: UInt64 = 0) { gate.callEnded("a", answered: true, now: now) }

    func isSilent(_ times: Int = Limits.hostFailures, at now: UInt64 = 0) {
      for _ in 0..<times { gate.callEnded("a", answered: false, now: now) }
    }
  }

  private let pause = Limits.hostPause

  @Test("a host is left alone after some calls in a row without an answer, and no other with it")
  func closes() {
    let host = Host()
    for _ in 1..<Limits.hostFailures {
      host.isSilent(1)
      #expect(host.mayCall())
    }
    host.isSilent(1)
    #expect(!host.mayCall(at: pause - 1))
    #expect(host.mayCall("b"))
  }

  @Test("after the pause one call finds out for all")
  func probes() {
    let host = Host()
    host.isSilent()
    #expect(host.mayCall(at: pause))
    #expect(!host.mayCall(at: pause))
    host.isSilent(1, at: pause + 5)
    #expect(!host.mayCall(at: pause + 6))
    #expect(host.mayCall(at: 2 * pause))
    host.answers(at: 2 * pause)
    #expect(host.mayCall(at: 2 * pause))
  }

  @Test("an answer between failures begins the count anew")
  func answers() {
    let host = Host()
    host.isSilent(Limits.hostFailures - 1)
    host.answers()
    host.isSilent(Limits.hostFailures - 1)
    #expect(host.mayCall())
  }
}
