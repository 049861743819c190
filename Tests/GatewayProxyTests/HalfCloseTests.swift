import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Peers that end their direction, go, or answer before they were asked to the end.
@Suite(.serialized) struct HalfCloseTests {
  @Test("A client that has ended its direction still gets its answer")
  func halfClosed() throws {
    let backend = try ScriptedBackend { exchange in
      pause(milliseconds: 100)
      try exchange.echo()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.post("/1").bytes + HTTPRequest.get("/2").bytes)
    connection.finishSending()
    #expect(try connection.receiveAnswer().json()["body"].string == "hello")
    #expect(try connection.receiveAnswer().json()["target"].string == "/2")
    #expect(connection.isClosed())
  }

  @Test("An answer to a client that has ended its direction may last as long as it goes on")
  func halfClosedStream() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      for _ in 0..<6 {
        pause(milliseconds: 300)
        try exchange.sendChunk([0x61])
      }
      try exchange.sendChunk([])
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get().bytes)
    connection.finishSending()
    #expect(try connection.receiveAnswer().text == "aaaaaa")
  }

  @Test("GW-57 a client that has gone frees the backend within a second, whatever it sent before", arguments: [0, 5])
  func gone(bodyCount: Int) throws {
    let backend = try ScriptedBackend { exchange in
      _ = try exchange.readBody()
      _ = exchange.waitForClose()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: \(bodyCount)\r\n\r\n")
    #expect(backend.waitForRequest() != nil)
    try connection.send([UInt8](repeating: 0x61, count: bodyCount))
    connection.close()
    let start = MonotonicClock.nanoseconds
    #expect(backend.waitForOpen(0))
    #expect(MonotonicClock.nanoseconds - start < 2_000_000_000)
  }

  @Test("A client that goes in the middle of its body ends the exchange at once")
  func goneInBody() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\nabc")
    #expect(backend.waitForRequest() != nil)
    connection.close()
    #expect(backend.waitForOpen(0))
    #expect(eventually { proxy.count { $0.aborted.value } == 1 })
  }

  @Test(
    "GW-62 an answer that begins before the request has ended is relayed, and the rest of the request goes on whole")
  func earlyAnswer() throws {
    let body = Sample.bytes(24 << 20)
    let request = Sample.request(body, isChunked: true)
    let received = Monitor<[UInt8]?>(nil)
    let backend = try ScriptedBackend { exchange in
      // Until the gateway can send no more.
      pause(milliseconds: 700)
      try exchange.startChunked()
      try exchange.sendChunk(Array("early".utf8))
      let all = try exchange.readBody()
      received.change { $0 = all }
      try exchange.sendChunk([])
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(request)
    let answer = try connection.receiveAnswer()
    _ = try sending.wait()
    #expect(answer.text == "early")
    #expect(answer.fields["Connection"] == "close")
    #expect(backend.faults.isEmpty)
    #expect(received.current == body)
  }

  @Test("GW-63 a refusal of a backend that closes before it was sent everything reaches the client")
  func refusedUpload() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(413, [("Connection", "close")], body: Array("too much".utf8))
      exchange.close()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(Sample.request(Sample.bytes(8 << 20), isChunked: false))
    let answer = try connection.receiveAnswer()
    _ = try sending.wait()
    #expect(answer.status == 413)
    #expect(answer.text == "too much")
  }

  @Test("A body over its limit is a 413 that the client can read, also when it was sent all at once")
  func tooLarge() throws {
    let backend = try ScriptedBackend { _ = try $0.readBody() }
    let proxy = try ProxyFixture([backend]) { $0.maxBody = 100_000 }
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(Sample.request(Sample.bytes(900_000), isChunked: true))
    #expect(try connection.receiveAnswer().errorCode == "body_too_large")
    #expect(connection.isClosed())
    _ = try sending.wait()
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-61 100 comes before the final status and only for a request that passed")
  func expectContinue() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(
      "POST / HTTP/1.1\r\nHost: app.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 100)
    try connection.send("ab")
    #expect(try connection.receiveAnswer().json()["body"].string == "ab")
    try connection.send(
      "POST /private/ HTTP/1.1\r\nHost: app.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 401)
    #expect(connection.isClosed())
  }

  @Test("Interim answers of a backend are dropped, and an upgrade that nobody asked for is no answer")
  func interim() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/101" {
        try exchange.send("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
      } else {
        try exchange.send("HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        try exchange.echo()
      }
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get()).status == 200)
    #expect(try connection.exchange(.get("/101")).status == 502)
  }

  @Test(
    "What is no HTTP is a 502",
    arguments: [
      "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.1 20",
    ])
  func malformed(answer: String) throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send(answer)
      exchange.close()
    }
    let proxy = try ProxyFixture([backend])
    #expect(try proxy.exchange(.get()).errorCode == "backend_unavailable")
  }
}
