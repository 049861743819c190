import GatewayTesting
import Testing

/// Bodies in both directions: as they come, and with back-pressure.
@Suite("Streaming", .onEveryWire) struct StreamingTests {
  @Test("GW-55 the head of an answer is passed on before its first body byte")
  func headFirst() throws {
    let gate = Gate()
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked([("Content-Type", "text/event-stream")])
      try gate.pass()
      try exchange.sendChunk(Array("data: 1\n\n".utf8))
      try exchange.sendChunk([])
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    let head = try connection.receiveHead()
    #expect(head.status == 200 && head.fields["Content-Type"] == "text/event-stream")
    gate.open()
    #expect(String(decoding: try connection.receiveBodyPiece(), as: UTF8.self) == "data: 1\n\n")
  }

  @Test("each piece of an answer is passed on while the next is not there yet")
  func pieces() throws {
    let gates = (0..<3).map { _ in Gate() }
    let backend = try ScriptedBackend { try $0.replyInPieces(behind: gates) }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    _ = try connection.receiveHead()
    for (index, gate) in gates.enumerated() {
      gate.open()
      #expect(String(decoding: try connection.receiveBodyPiece(), as: UTF8.self) == "piece \(index)")
    }
    #expect(try connection.receiveBodyPiece() == [])
    // The connection is in step for the next request.
    #expect(try connection.exchange(relay.request()).status == 200)
  }

  @Test("each piece of a request is passed on while the next is not there yet")
  func requestPieces() throws {
    let pieces = Monitor<[String]>([])
    let backend = try ScriptedBackend { exchange in
      while case let piece = try exchange.readBodyPiece(), !piece.isEmpty {
        pieces.change { $0.append(String(decoding: piece, as: UTF8.self)) }
      }
      try exchange.echo()
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request("POST", "/", [("Transfer-Encoding", "chunked")]).bytes)
    for index in 0..<3 {
      try connection.send("3\r\nab\(index)\r\n")
      let arrived = pieces.wait { $0.joined().hasSuffix("ab\(index)") ? true : nil }
      #expect(arrived == true)
    }
    try connection.send("0\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 200)
  }

  /// 64 MiB, a hundred times what the gateway may hold for one connection.
  private static let large = 64 << 20
  private static let piece = [UInt8](repeating: 0x61, count: 64 << 10)

  @Test("a large answer for a slow client stays at the backend: the gateway's memory is flat")
  func slowClient() throws {
    let sent = Monitor(0)
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.large)\r\n\r\n")
      for _ in 0..<(Self.large / Self.piece.count) {
        try exchange.send(Self.piece)
        sent.change { $0 += Self.piece.count }
      }
    }
    let relay = try Relay(ports: [backend.port])
    _ = try relay.gateway.me(relay.bearer)
    let before = relay.gateway.process.residentBytes
    let connection = try relay.gateway.connect(receiveBuffer: 64 << 10)
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    _ = try connection.receiveHead()
    var received = 0
    for _ in 0..<16 { received += try connection.receiveBodyPiece().count }
    // The backend can't get ahead by more than what the kernel and two blocks hold.
    #expect(sent.current < Self.large)
    #expect(relay.gateway.process.residentBytes - before < 8 << 20)
    while case let piece = try connection.receiveBodyPiece(), !piece.isEmpty { received += piece.count }
    #expect(received == Self.large)
    #expect(relay.gateway.process.residentBytes - before < 8 << 20)
  }

  @Test("a large request for a slow backend stays at the client: the gateway's memory is flat")
  func slowBackend() throws {
    let gate = Gate()
    let total = Monitor(0)
    let backend = try ScriptedBackend { exchange in
      try gate.pass(seconds: 60)
      while case let piece = try exchange.readBodyPiece(), !piece.isEmpty { total.change { $0 += piece.count } }
      try exchange.reply()
    }
    let relay = try Relay(ports: [backend.port])
    _ = try relay.gateway.me(relay.bearer)
    let before = relay.gateway.process.residentBytes
    let sent = Monitor(0)
    let upload = Parallel.start(1) { _ in
      let connection = try relay.gateway.connect(seconds: 60)
      defer { connection.close() }
      try connection.send(relay.request("POST", "/", [("Content-Length", "\(Self.large)")]).bytes)
      for _ in 0..<(Self.large / Self.piece.count) {
        try connection.send(Self.piece)
        sent.change { $0 += Self.piece.count }
      }
      return try connection.receiveAnswer().status
    }
    #expect(backend.waitForRequest() != nil)
    // The client gets ahead until everything in between is full, and no further.
    var last = -1
    #expect(
      eventually { () -> Bool in
        defer { last = sent.current }
        return sent.current > 0 && sent.current == last
          && sent.wait(seconds: 0.3, for: { $0 != last ? true : nil }) == nil
      })
    #expect(sent.current < Self.large)
    #expect(relay.gateway.process.residentBytes - before < 8 << 20)
    gate.open()
    #expect(try upload.wait() == [200])
    #expect(total.current == Self.large)
    #expect(relay.gateway.process.residentBytes - before < 8 << 20)
  }

  @Test("GW-57 a client that has gone ends the upstream exchange within a second")
  func clientGone() throws {
    let closed = Monitor<Bool?>(nil)
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      try exchange.sendChunk(Array("data: 1\n\n".utf8))
      let result = exchange.waitForClose()
      closed.change { $0 = result }
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    try connection.send(relay.request().bytes)
    _ = try connection.receiveHead()
    _ = try connection.receiveBodyPiece()
    connection.close()
    let start = Deadline(seconds: 1.5)
    #expect(closed.wait { $0 } == true)
    #expect(!start.isOver)
  }

  @Test("a client that goes away while it uploads leaves no complete request behind")
  func clientGoneUploading() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    try connection.send(relay.request("POST", "/half", [("Transfer-Encoding", "chunked")]).bytes)
    try connection.send("5\r\nhello\r\n")
    #expect(backend.waitForRequest { $0.body.count == 5 } != nil)
    connection.close()
    #expect(backend.waitForOpen(0))
    #expect(backend.requests.allSatisfy { !$0.isComplete })
  }
}
