import GatewayBase
import GatewayTesting
import Testing

/// Clients that hold connections by doing next to nothing.
@Suite("Slow clients", .onEveryWire) struct SlowClientTests {
  private let backend: ScriptedBackend

  init() throws { backend = try ScriptedBackend() }

  /// Sends a byte on each connection, again and again, until all are closed; false where the time was over before.
  private func trickle(_ connections: [LoopbackConnection], _ byte: String, meanwhile: () throws -> Void) throws -> Bool
  {
    let deadline = Deadline(seconds: Patience.seconds * 3)
    var open = connections
    while !open.isEmpty {
      if deadline.isOver { return false }
      open = open.filter { (try? $0.send(byte)) != nil }
      try meanwhile()
      pause(milliseconds: 100)
    }
    return true
  }

  @Test(
    "GW-67 500 sockets that send a byte now and then go after the head's time, and all others are served meanwhile",
    .aboutHTTP1)
  func slowHeads() throws {
    let relay = try Relay(ports: [backend.port], sections: ["limits": "{ headTimeout: 2s }"])
    let slow = try (0..<500).map { _ in try relay.gateway.connect() }
    for connection in slow { try connection.send("GET / HTTP/1.1\r\nHost: \(Relay.host)\r\nX-Slow: ") }
    let areGone = try trickle(slow, "a") {
      let status = try relay.exchange().status
      #expect(status == 200)
    }
    #expect(areGone)
    for connection in slow { connection.close() }
  }

  @Test("GW-65 a body that trickles keeps its connection, GW-66 one that stops loses it, and others are served")
  func slowBodies() throws {
    let relay = try Relay(ports: [backend.port], sections: ["limits": "{ bodyTimeout: 1s }"])
    func begin(_ target: String) throws -> LoopbackConnection {
      let connection = try relay.gateway.connect()
      try connection.send(relay.request("POST", target, [("Content-Length", "30")]).bytes)
      return connection
    }
    let stopped = try (0..<50).map { _ in try begin("/stopped") }
    // After the others, whose handshakes may take longer than a body may pause.
    let steady = try begin("/steady")
    for index in 0..<30 {
      try steady.send("a")
      #expect(backend.waitForRequest { $0.target == "/steady" && $0.body.count == index + 1 } != nil)
      pause(milliseconds: 100)
    }
    #expect(try steady.receiveAnswer().status == 200, "three times the limit in all, a tenth of it between two bytes")
    for connection in stopped { #expect(try connection.receiveAnswer().status == 408) }
    #expect(try relay.exchange().status == 200)
  }

  @Test("GW-67 connections over an address's share are closed at once, and counted", .onWiresOfItsOwn)
  func share() throws {
    let relay = try Relay(
      ports: [backend.port], sections: ["limits": "{ maxConnectionsPerAddress: 4 }"])
    try waitUntilEmpty(relay.gateway)
    let open = try (0..<4).map { _ in try relay.gateway.connect() }
    for connection in open { #expect(try connection.exchange(relay.request()).status == 200) }
    #expect(try relay.gateway.connect().isClosed())
    #expect(try metrics(of: relay.gateway).contains("speed_connections_refused_total{reason=\"address\"} 1\n"))
    open[0].close()
    #expect(eventually { (try? relay.exchange().status) == 200 })
  }

  @Test("GW-67 at the limit of all connections the admin listener still answers", .onWiresOfItsOwn)
  func total() throws {
    let relay = try Relay(ports: [backend.port], sections: ["limits": "{ maxConnections: 3 }"])
    try waitUntilEmpty(relay.gateway)
    let open = try (0..<3).map { _ in try relay.gateway.connect() }
    for connection in open { #expect(try connection.exchange(relay.request()).status == 200) }
    #expect(try relay.gateway.connect().isClosed())
    #expect(try relay.gateway.adminStatus("/readyz") == 200)
  }

  /// Waits until no connection is open but the one that asks: the fixture's own count until the gateway has seen their
  /// end.
  private func waitUntilEmpty(_ gateway: GatewayProcess) throws {
    try #require(try eventually { try metrics(of: gateway).contains("\nspeed_connections_open 1\n") })
  }

  private func metrics(of gateway: GatewayProcess) throws -> String {
    try LoopbackConnection.exchange(port: gateway.adminPort, HTTPRequest("GET", "/metrics", host: "127.0.0.1")).text
  }
}
