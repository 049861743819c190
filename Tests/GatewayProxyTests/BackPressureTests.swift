import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Slow and silent peers on both sides: nobody who moves is cut off, nobody who does not is waited for.
@Suite(.serialized) struct BackPressureTests {
  @Test("GW-65 a client that reads slowly but steadily gets all of a body, however long it takes")
  func slowReader() throws {
    let count = 24 << 20
    let backend = try ScriptedBackend { try $0.reply(body: [UInt8](repeating: 0x61, count: count)) }
    let proxy = try ProxyFixture([backend]) { $0.limits.progress = 400 }
    let connection = try proxy.connect(receiveBuffer: 262_144)
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    var received = 0
    for _ in 0..<50 {
      received += try connection.receiveBodyPiece().count
      pause(milliseconds: 40)
    }
    while case let piece = try connection.receiveBodyPiece(), !piece.isEmpty { received += piece.count }
    #expect(received == count)
  }

  @Test("A client that stops reading ends its exchange, and the backend is let go")
  func stoppedReader() throws {
    let backend = try ScriptedBackend { exchange in
      try? exchange.reply(body: [UInt8](repeating: 0x61, count: 32 << 20))
      _ = exchange.waitForClose()
    }
    let proxy = try ProxyFixture([backend]) { $0.limits.progress = 300 }
    let connection = try proxy.connect(receiveBuffer: 262_144)
    try connection.send(HTTPRequest.get().bytes)
    #expect(backend.waitForOpen(1))
    #expect(backend.waitForOpen(0))
    #expect(eventually { proxy.count { $0.aborted.value } == 1 })
  }

  @Test("A backend that falls silent while the client was slow is not waited for beyond the idle limit")
  func silentAfterSlowReader() throws {
    let gate = Gate()
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n")
      try exchange.send([UInt8](repeating: 0x61, count: 24 << 20))
      gate.open()
      _ = exchange.waitForClose()
    }
    let proxy = try ProxyFixture([backend]) { $0.timeouts.idle = 300 }
    let connection = try proxy.connect(receiveBuffer: 262_144)
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    // Until the client is what is waited for.
    pause(milliseconds: 200)
    let received = try connection.receiveToEnd().count
    #expect(received == 24 << 20)
    try gate.pass()
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-55 the head of an answer goes out at once, and its body may come later than a head could")
  func lateBody() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
      pause(milliseconds: 700)
      try exchange.send("late")
    }
    let proxy = try ProxyFixture([backend]) { $0.timeouts.response = 300 }
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    #expect(try connection.receiveBodyPiece() == Array("late".utf8))
  }

  @Test("A backend that does not answer in time is a 504, and its connection is not used again")
  func noAnswer() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/slow" { _ = exchange.waitForClose() } else { try exchange.echo() }
    }
    let proxy = try ProxyFixture([backend]) { $0.timeouts.response = 200 }
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get("/slow")).errorCode == "backend_timeout")
    #expect(try connection.exchange(.get()).status == 200)
    #expect(backend.accepted == 2)
  }

  @Test("A backend that stops in the middle of a body ends the client's connection")
  func stalledBody() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      try exchange.sendChunk(Array("begun".utf8))
      _ = exchange.waitForClose()
    }
    let proxy = try ProxyFixture([backend]) { $0.timeouts.idle = 200 }
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get().bytes)
    #expect(try connection.receiveHead().status == 200)
    #expect(try connection.receiveToEnd() == Array("5\r\nbegun\r\n".utf8))
  }

  @Test("A backend that takes no more of a body is a 504 after the idle limit", arguments: [false, true])
  func blockedUpload(isChunked: Bool) throws {
    let gate = Gate()
    let backend = try ScriptedBackend { _ in try gate.pass() }
    let proxy = try ProxyFixture([backend]) {
      $0.timeouts.idle = 300
      $0.limits.progress = 60_000
    }
    let request = Sample.request(Sample.bytes(24 << 20), isChunked: isChunked)
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(request)
    #expect(try connection.receiveAnswer().errorCode == "backend_timeout")
    gate.open()
    _ = try sending.wait()
  }

  @Test("A client that stops in the middle of a body gets 408")
  func stalledUpload() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend]) { $0.limits.progress = 200 }
    let connection = try proxy.connect()
    try connection.send("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\nabc")
    let answer = try connection.receiveAnswer()
    #expect(answer.errorCode == "request_timeout")
    #expect(answer.fields["Connection"] == "close")
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-65 an upload that goes on slowly is not cut off")
  func slowUpload() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend]) {
      $0.limits.progress = 300
      $0.timeouts.response = 300
    }
    let connection = try proxy.connect()
    try connection.send("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\n")
    for byte in "0123456789".utf8 {
      pause(milliseconds: 100)
      try connection.send([byte])
    }
    #expect(try connection.receiveAnswer().json()["body"].string == "0123456789")
  }

  @Test("GW-67 a head that does not end in time is a 408; a connection without a byte just ends")
  func slowHead() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) { $0.limits.head = 200 }
    let silent = try proxy.connect()
    let connection = try proxy.connect()
    try connection.send("GET / HTTP/1.1\r\nHos")
    #expect(try connection.receiveAnswer().errorCode == "request_timeout")
    #expect(try silent.receiveToEnd().isEmpty)
  }

  @Test("A connection between requests ends after the idle limit")
  func idleClient() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) { $0.limits.idle = 200 }
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get()).status == 200)
    #expect(connection.isClosed())
  }

  @Test("Connections over the limit are closed at once, and the others go on")
  func connectionLimit() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) { $0.limits.connections = 2 }
    let first = try proxy.connect()
    let second = try proxy.connect()
    #expect(try first.exchange(.get()).status == 200)
    #expect(try second.exchange(.get()).status == 200)
    #expect(try proxy.connect().isClosed())
    first.close()
    #expect(eventually { proxy.count { $0.connectionsClosed.value } == 1 })
    #expect(try proxy.exchange(.get()).status == 200)
    #expect(proxy.count { $0.connectionsRefused.value } == 1)
  }
}
