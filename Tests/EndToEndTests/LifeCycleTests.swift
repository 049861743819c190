import GatewayTesting
import Testing

/// Start, readiness, draining and the end.
@Suite("Life cycle", .onEveryWire) struct LifeCycleTests {
  private func slow(_ gate: Gate) throws -> ScriptedBackend {
    try ScriptedBackend.echoing(holding: "/slow", until: gate)
  }

  @Test("GW-118 SIGTERM drains: not ready at once, running requests finish, exit 0")
  func drain() throws {
    let gate = Gate()
    let backend = try slow(gate)
    let relay = try Relay(ports: [backend.port], sections: ["drain": "{ delay: 3s, timeout: 20s }"])
    let running = try relay.gateway.connect()
    defer { running.close() }
    try running.send(relay.request("GET", "/slow").bytes)
    #expect(backend.waitForRequest { $0.target == "/slow" } != nil)
    let idle = try relay.gateway.connect()
    defer { idle.close() }
    #expect(try idle.exchange(relay.request()).fields["Connection"] != "close")

    relay.gateway.process.signal(15)
    #expect(try eventually(seconds: 2) { try relay.gateway.adminStatus("/readyz") == 503 })
    // During the delay new connections are still taken, and each answer says that it is the last.
    let late = try relay.exchange()
    #expect(late.status == 200 && late.fields["Connection"] == "close")
    let last = try idle.exchange(relay.request())
    #expect(last.status == 200 && last.fields["Connection"] == "close")
    gate.open()
    let answer = try running.receiveAnswer()
    #expect(answer.status == 200)
    #expect(relay.gateway.process.waitForEnd() == .exited(0))
  }

  @Test("GW-118 under load no request is lost: whoever looks at /readyz has left before the listener closes")
  func drainUnderLoad() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: ["drain": "{ delay: 2s, timeout: 20s }"])
    let answered = Monitor(0)
    let isLeaving = Monitor(false)
    let load = Parallel.start(4) { thread in
      var connection = try relay.gateway.connect()
      while !isLeaving.current {
        let answer = try connection.exchange(relay.request())
        guard answer.status == 200 else { throw TestFailure("answered \(answer.status) in the drain") }
        answered.change { $0 += 1 }
        // Half of the clients keep their connection for as long as they may.
        if thread % 2 == 0 || answer.fields["Connection"] == "close" {
          connection.close()
          connection = try relay.gateway.connect()
        }
      }
      connection.close()
    }
    #expect(answered.wait { $0 > 50 ? true : nil } == true)
    relay.gateway.process.signal(15)
    #expect(try eventually { try relay.gateway.adminStatus("/readyz") == 503 })
    let before = answered.current
    #expect(answered.wait { $0 > before + 20 ? true : nil } == true)
    isLeaving.change { $0 = true }
    _ = try load.wait()
    #expect(relay.gateway.process.waitForEnd() == .exited(0))
  }

  @Test("a second signal ends the process at once")
  func secondSignal() throws {
    let gate = Gate()
    let backend = try slow(gate)
    let relay = try Relay(ports: [backend.port], sections: ["drain": "{ delay: 15s, timeout: 60s }"])
    let running = try relay.gateway.connect()
    defer { running.close() }
    try running.send(relay.request("GET", "/slow").bytes)
    #expect(backend.waitForRequest { $0.target == "/slow" } != nil)
    relay.gateway.process.signal(15)
    #expect(try eventually { try relay.gateway.adminStatus("/readyz") == 503 })
    relay.gateway.process.signal(15)
    #expect(relay.gateway.process.waitForEnd(seconds: 5) != nil)
    gate.open()
  }

  @Test("a running request that outlives the drain's time limit is cut, and the exit is in time")
  func drainTimeout() throws {
    let gate = Gate()
    let backend = try slow(gate)
    let relay = try Relay(ports: [backend.port], sections: ["drain": "{ delay: 100ms, timeout: 1s }"])
    let running = try relay.gateway.connect()
    defer { running.close() }
    try running.send(relay.request("GET", "/slow").bytes)
    #expect(backend.waitForRequest { $0.target == "/slow" } != nil)
    relay.gateway.process.signal(15)
    #expect(relay.gateway.process.waitForEnd(seconds: 10) != nil)
    gate.open()
  }

  @Test("the admin listener says that the gateway lives and is ready")
  func admin() throws {
    let stage = try Stage.shared()
    #expect(try stage.gateway.adminStatus("/healthz") == 200)
    #expect(try stage.gateway.adminStatus("/readyz") == 200)
    #expect(try stage.gateway.adminStatus("/nonsense") == 404)
  }

  @Test("closed connections leave no descriptor behind")
  func descriptors() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    _ = try relay.exchange()
    let process = relay.gateway.process
    let before = process.openDescriptors
    _ = try Parallel.run(50) { index in
      let connection = try relay.gateway.connect()
      if index % 2 == 0 { _ = try connection.exchange(relay.request()) } else { try connection.send("GET / HTT") }
      if index % 3 == 0 { connection.reset() } else { connection.close() }
    }
    // Idle connections to the backend may stay, one for each request that ran at once.
    #expect(eventually { process.openDescriptors <= before + backend.open })
  }
}
