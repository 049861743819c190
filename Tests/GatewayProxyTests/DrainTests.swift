import GatewayBase
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// The end of a process, and slow look-ups: what must not be lost meanwhile.
@Suite(.serialized) struct DrainTests {
  @Test("GW-118 a drain refuses new connections, ends idle ones and lets running requests finish")
  func drain() async throws {
    let gate = Gate()
    let backend = try ScriptedBackend { exchange in
      try gate.pass()
      try exchange.echo()
    }
    let proxy = try ProxyFixture([backend])
    let (running, idle) = (try proxy.connect(), try proxy.connect())
    try running.send(HTTPRequest.get("/running").bytes)
    #expect(backend.waitForRequest() != nil)
    proxy.workers.beginDraining()
    async let drained: Void = proxy.workers.drain(timeout: 20_000)
    #expect(idle.isClosed())
    #expect(throws: (any Error).self) { try proxy.connect() }
    gate.open()
    let answer = try running.receiveAnswer()
    #expect(answer.status == 200)
    #expect(answer.fields["Connection"] == "close")
    running.close()
    await drained
  }

  @Test("GW-118 connections and requests that the kernel has taken are served, though a drain has begun")
  func nothingInFlightIsLost() async throws {
    let proxy = try ProxyFixture([try ScriptedBackend()])
    let known = try proxy.connect()
    #expect(try known.exchange(.get()).status == 200)
    let (held, release) = (Gate(), Gate())
    proxy.workers.mailboxes[0].post { _ in
      held.open()
      try? release.pass()
    }
    try held.pass()
    let (secondHeld, secondRelease) = (Gate(), Gate())
    proxy.workers.mailboxes[0].post { _ in
      secondHeld.open()
      try? secondRelease.pass()
    }
    // Runs right behind, before the loop asks the kernel for events again.
    proxy.workers.mailboxes[0].post { worker in
      worker.isDraining.value = true
      worker.stopListening { _ in true }
      _ = worker.closeIdleClients()
    }
    release.open()
    try secondHeld.pass()
    let fresh = try proxy.connect()
    try fresh.send(HTTPRequest.get("/fresh").bytes)
    try known.send(HTTPRequest.get("/known").bytes)
    secondRelease.open()
    for connection in [fresh, known] {
      let answer = try connection.receiveAnswer()
      #expect(answer.status == 200)
      #expect(answer.fields["Connection"] == "close")
    }
  }

  @Test("A drain that is not done in time returns")
  func timeout() async throws {
    let gate = Gate()
    let backend = try ScriptedBackend { _ in try gate.pass() }
    let proxy = try ProxyFixture([backend])
    let running = try proxy.connect()
    try running.send(HTTPRequest.get().bytes)
    #expect(backend.waitForRequest() != nil)
    await proxy.workers.drain(timeout: 200)
    gate.open()
  }

  @Test("A look-up that hangs holds up neither requests to other names nor the checking of tokens")
  func hangingLookUp() throws {
    let gate = Gate()
    let backend = try ScriptedBackend()
    let lookUps = Locked(0)
    let proxy = try ProxyFixture([backend]) {
      $0.timeouts.connect = 300
      $0.servers = [("hangs.test", 80)]
      $0.names = NameResolver(threads: 1) { _, _ in
        lookUps.withLock { $0 += 1 }
        try? gate.pass()
        return []
      }
    }
    defer { gate.open() }
    let statuses = try Parallel.run(6) { [port = proxy.port] _ in
      try LoopbackConnection.exchange(port: port, HTTPRequest.get("/private/").signedIn()).status
    }
    #expect(statuses == Array(repeating: 200, count: 6))
    #expect(lookUps.withLock { $0 } == 1)
  }

  @Test("A look-up that hangs alone is a 502 in the time of a connection")
  func hangingLookUpAlone() throws {
    let gate = Gate()
    defer { gate.open() }
    let proxy = try ProxyFixture([]) {
      $0.timeouts.connect = 200
      $0.servers = [("hangs.test", 80)]
      $0.names = NameResolver(threads: 1) { _, _ in
        try? gate.pass()
        return []
      }
    }
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get()).errorCode == "backend_unavailable")
  }

  @Test("Each address of a name is tried before the server is given up")
  func addressFallOver() throws {
    let (dead, alive) = (try ScriptedBackend(), try ScriptedBackend())
    dead.stop()
    let proxy = try ProxyFixture([]) {
      $0.servers = [("two.test", 80)]
      $0.names = NameResolver { [ports = [dead.port, alive.port]] _, _ in
        ports.map { SocketAddress(host: .v4(0x7F00_0001), port: $0) }
      }
    }
    for _ in 0..<3 { #expect(try proxy.exchange(.post()).status == 200) }
  }
}
