import GatewayBase
import GatewayIO
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("What a process and its successor say") struct HandoverMessageTests {
  private let name = Listener.Name(role: "proxy", address: .loopback(port: 8080), ordinal: 1)

  @Test("every message is read as it was written")
  func roundTrip() {
    let v6 = Listener.Name(
      role: "admin", address: SocketAddress(host: .v6(.init(high: 0, low: 1)), port: 0), ordinal: 0)
    for message: HandoverMessage in [
      .take, .end, .serving, .released, .listener(name), .kept(name), .listener(v6), .kept(v6),
    ] {
      #expect(HandoverMessage(message.text) == message)
    }
  }

  @Test(
    "what is no message is none",
    arguments: [
      "", " ", "take 1", "listener", "listener proxy 127.0.0.1:80", "listener proxy nowhere 0",
      "kept proxy 127.0.0.1:80 x", "kept proxy 127.0.0.1:80 0 0", "end\n", "hello",
    ])
  func garbage(_ text: String) { #expect(HandoverMessage(text) == nil) }
}

@Suite("Which sockets serve which listener") struct ListenerPlanTests {
  private func proxy(_ text: String, _ ordinal: Int = 0) throws -> Listener.Name {
    Listener.Name(role: "proxy", address: try SocketAddress(text), ordinal: ordinal)
  }

  private func admin(_ text: String) throws -> Listener.Name {
    Listener.Name(role: "admin", address: try SocketAddress(text), ordinal: 0)
  }

  private func offer(_ origin: ListenerPlan.Offer.Origin, _ address: String, _ descriptor: Int32 = 9) throws
    -> ListenerPlan.Offer
  {
    ListenerPlan.Offer(origin: origin, address: try SocketAddress(address), descriptors: [descriptor])
  }

  /// The descriptor that serves each listener, nil for none, and those left over.
  private func plan(_ listeners: [Listener.Name], _ offers: [ListenerPlan.Offer]) -> ([Int32?], [Int32]) {
    let plan = ListenerPlan(listeners, offers: offers)
    return (listeners.indices.map { plan.chosen[$0]?.descriptors.first }, plan.left.flatMap(\.descriptors))
  }

  @Test("a predecessor's listener goes on as the one of the same name, also on a port that the kernel picked")
  func sameName() throws {
    let (first, second) = (try proxy("127.0.0.1:0"), try proxy("127.0.0.1:0", 1))
    let offers = [
      try offer(.predecessor(second), "127.0.0.1:40002", 2), try offer(.predecessor(first), "127.0.0.1:40001", 1),
    ]
    #expect(plan([first, second], offers) == ([1, 2], []))
  }

  @Test("a listener that is new gets none, and one that is gone is left")
  func changes() throws {
    let gone = try proxy("127.0.0.1:81")
    #expect(plan([try proxy("127.0.0.1:80")], [try offer(.predecessor(gone), "127.0.0.1:81")]) == ([nil], [9]))
  }

  @Test("a port that is now written out is the one that the kernel once picked")
  func writtenOut() throws {
    let offers = [try offer(.predecessor(try proxy("127.0.0.1:0")), "127.0.0.1:40001")]
    #expect(plan([try proxy("127.0.0.1:40001")], offers) == ([9], []))
  }

  @Test("an equal name goes before an equal address")
  func priority() throws {
    let (anyPort, written) = (try proxy("127.0.0.1:0"), try proxy("127.0.0.1:40001"))
    let offers = [try offer(.predecessor(anyPort), "127.0.0.1:40001")]
    #expect(plan([written, anyPort], offers) == ([nil, 9], []))
  }

  @Test("the service manager's sockets are known by their address, a wildcard of either family, or the role's name")
  func activation() throws {
    let listeners = [try proxy("127.0.0.1:80"), try proxy("0.0.0.0:8080"), try admin("127.0.0.1:9901")]
    let offers = [
      try offer(.manager("speed.socket"), "127.0.0.1:80", 3), try offer(.manager("x"), "[::]:8080", 4),
      try offer(.manager("admin"), "127.0.0.1:9999", 5), try offer(.manager("y"), "[::]:81", 6),
    ]
    #expect(plan(listeners, offers) == ([3, 4, 5], [6]))
  }

  @Test("a wildcard socket does not serve one address alone, nor another port")
  func noWidening() throws {
    let offers = [try offer(.manager(""), "0.0.0.0:80"), try offer(.manager(""), "[::]:8080")]
    #expect(plan([try proxy("127.0.0.1:80"), try proxy("0.0.0.0:81")], offers).0 == [nil, nil])
  }

  @Test("sockets of the service manager that share an address are one listener's")
  func grouped() throws {
    let address = try SocketAddress("127.0.0.1:80")
    let passed = [3, 4].map { ActivatedSockets.Passed(descriptor: $0, address: address, name: "a") }
    #expect(
      ListenerPlan.offers(passed) == [
        ListenerPlan.Offer(origin: .manager("a"), address: address, descriptors: [3, 4])
      ])
  }
}
