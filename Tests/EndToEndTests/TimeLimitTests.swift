import GatewayTesting
import Testing

/// Every wait has a limit, and none counts against whoever makes progress.
@Suite("Time limits", .onEveryWire) struct TimeLimitTests {
  private let short = ["limits": "{ headTimeout: 1s, bodyTimeout: 1s, idleTimeout: 1s }"]

  /// Whether the gateway said 408, or nothing, before it closed.
  private func isGivenUp(_ connection: LoopbackConnection) throws -> Bool {
    let text = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    return text.isEmpty || text.hasPrefix("HTTP/1.1 408 ")
  }

  @Test("GW-67 a head that does not come to its end in time is given up, however steadily it trickles", .aboutHTTP1)
  func slowHead() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: short)
    let silent = try (0..<50).map { _ in try relay.gateway.connect() }
    for connection in silent { try connection.send("GET / HTTP/1.1\r\nHost: ") }
    let trickling = try relay.gateway.connect()
    try trickling.send("GET / HTTP/1.1\r\nHost: \(Relay.host)\r\nX-Slow: ")
    let deadline = Deadline(seconds: 10)
    while !deadline.isOver, (try? trickling.send("a")) != nil { pause(milliseconds: 100) }
    #expect(!deadline.isOver)
    for connection in silent { #expect(try isGivenUp(connection)) }
    #expect(try relay.exchange().status == 200)
  }

  @Test("a connection that never sends a byte is given up")
  func silent() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: short)
    #expect(try isGivenUp(try relay.gateway.connect()))
  }

  @Test("GW-66 a body that stops coming is given up, and the backend sees no whole request")
  func stalledBody() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: short)
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request("POST", "/stalled", [("Content-Length", "100")]).bytes)
    try connection.send("only this")
    #expect(try isGivenUp(connection))
    #expect(backend.waitForOpen(0))
    #expect(backend.requests.allSatisfy { !$0.isComplete })
  }

  @Test("an idle keep-alive connection is closed without a word")
  func idleClient() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: short)
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    #expect(try connection.exchange(relay.request()).status == 200)
    #expect(connection.isClosed())
    #expect(backend.requests.count == 1)
  }

  @Test("a client that takes nothing of its answer any more is given up, and so is the upstream exchange")
  func stalledClient() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n")
      while true { try exchange.send([UInt8](repeating: 0x61, count: 64 << 10)) }
    }
    let relay = try Relay(ports: [backend.port], sections: short)
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    _ = try connection.receiveHead()
    #expect(backend.waitForOpen(0))
  }

  @Test("a backend that stops in the middle of a body is given up after the idle time")
  func idleBackend() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
      #expect(exchange.waitForClose())
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["timeouts: { idle: 300ms }"])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    let text = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    #expect(text.hasSuffix("only this"))
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-65 an upload that makes progress is never too slow")
  func steadyUpload() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(
      ports: [backend.port], backendLines: ["timeouts: { response: 500ms, idle: 500ms }"])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request("POST", "/", [("Transfer-Encoding", "chunked")]).bytes)
    // Three times the limits in all, a fifth of them between two pieces.
    for index in 0..<15 {
      try connection.send("1\r\na\r\n")
      #expect(backend.waitForRequest { $0.body.count == index + 1 } != nil)
      pause(milliseconds: 100)
    }
    try connection.send("0\r\n\r\n")
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 200)
    #expect(try answer.json()["bodyBytes"].integer == 15)
  }
}
