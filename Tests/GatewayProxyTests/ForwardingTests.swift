import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayProxy

/// One request and its answer, cut and framed in every way.
@Suite(.serialized) struct ForwardingTests {
  @Test("A request that arrives byte by byte is the same request")
  func bytewiseRequest() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    for _ in 0..<2 {
      try connection.sendBytewise(
        "POST /a?b=c HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nX-Speed-User-Id: 1\r\n\r\n")
      let seen = try connection.receiveAnswer().json()
      #expect(seen["target"].string == "/a?b=c")
      #expect(seen["body"].string == "hello!")
    }
    #expect(backend.faults.isEmpty)
    #expect(!backend.received("X-Speed-User-Id"))
  }

  @Test("An answer that arrives byte by byte is the same answer", arguments: [true, false])
  func bytewiseAnswer(isChunked: Bool) throws {
    let backend = try ScriptedBackend { exchange in
      let head = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 11"
      let body = isChunked ? "6;ext\r\nhello \r\n5\r\nworld\r\n0\r\nX-T: 1\r\n\r\n" : "hello world"
      for byte in "HTTP/1.1 200 OK\r\n\(head)\r\nX-Own: 1\r\n\r\n\(body)".utf8 { try exchange.send([byte]) }
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    for _ in 0..<2 {
      let answer = try connection.exchange(.get())
      #expect(answer.text == "hello world")
      #expect(answer.fields["X-Own"] == "1")
      #expect(answer.fields["X-T"] == nil)
    }
    #expect(backend.accepted == 1)
  }

  @Test("A large body passes unchanged both ways, whatever frames it", arguments: [true, false])
  func largeBodies(isChunked: Bool) throws {
    let body = Sample.bytes(3_000_000)
    let backend = try ScriptedBackend { exchange in
      let received = try exchange.readBody()
      if isChunked {
        try exchange.startChunked()
        var rest = received[...]
        while !rest.isEmpty {
          try exchange.sendChunk(Array(rest.prefix(50_001)))
          rest = rest.dropFirst(50_001)
        }
        try exchange.sendChunk([])
      } else {
        try exchange.reply(body: received)
      }
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let sending = BackgroundSender(connection).start(Sample.request(body, isChunked: isChunked))
    let answer = try connection.receiveAnswer()
    _ = try sending.wait()
    #expect(answer.body == body)
    #expect(backend.faults.isEmpty)
  }

  @Test("An HTTP/1.0 client gets a body of unknown length up to the connection's end")
  func http10() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      try exchange.sendChunk(Array("one".utf8))
      try exchange.sendChunk(Array("two".utf8))
      try exchange.sendChunk([])
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send("GET / HTTP/1.0\r\nHost: app.test\r\nConnection: keep-alive\r\n\r\n")
    let answer = try connection.receiveAnswer()
    #expect(answer.fields["Transfer-Encoding"] == nil)
    #expect(answer.fields["Connection"] == "close")
    #expect(answer.text == "onetwo")
    #expect(connection.isClosed())
  }

  @Test("An HTTP/1.0 client that asks for it keeps its connection where the length is known")
  func http10KeepAlive() throws {
    let backend = try ScriptedBackend { try $0.reply(body: [0x61]) }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    for _ in 0..<2 {
      try connection.send("GET / HTTP/1.0\r\nHost: app.test\r\nConnection: keep-alive\r\n\r\n")
      let answer = try connection.receiveAnswer()
      #expect(answer.fields["Connection"] == "keep-alive")
      #expect(answer.text == "a")
    }
  }

  @Test("Answers without a body end at their head, and the connection goes on", arguments: [204, 304])
  func noBody(status: Int) throws {
    let backend = try ScriptedBackend { try $0.reply(status, [("ETag", "\"1\"")]) }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    for _ in 0..<3 {
      let answer = try connection.exchange(.get())
      #expect(answer.status == status)
      #expect(answer.body.isEmpty)
    }
    #expect(backend.accepted == 1)
  }

  @Test("The answer to HEAD has its length and no body, and the connection goes on")
  func head() throws {
    let backend = try ScriptedBackend { try $0.reply(body: Sample.bytes(10_000)) }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let answer = try connection.exchange(HTTPRequest("HEAD", "/", host: "app.test"))
    #expect(answer.fields["Content-Length"] == "10000")
    #expect(try connection.exchange(.get()).body.count == 10_000)
    #expect(backend.accepted == 1)
  }

  @Test("Pipelined requests are answered one after another, in their order")
  func pipelining() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    let requests = [HTTPRequest.get("/1"), .post("/2", body: Sample.bytes(100_000)), .get("/3"), .get("/4")]
    try connection.send(requests.flatMap(\.bytes))
    for (index, request) in requests.enumerated() {
      let seen = try connection.receiveAnswer().json()
      #expect(seen["target"].string == "/\(index + 1)")
      #expect(seen["bodyBytes"].integer == Int64(request.body.count))
    }
    #expect(backend.faults.isEmpty)
  }

  @Test("A refused request whose body is there does not end the connection, one whose body is not does")
  func refusedWithBody() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(
      HTTPRequest.post("/private/").bytes
        + Array(
          "POST /private/ HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n".utf8)
        + HTTPRequest.get("/after").bytes)
    #expect(try connection.receiveAnswer().errorCode == "missing_token")
    #expect(try connection.receiveAnswer().errorCode == "missing_token")
    #expect(try connection.receiveAnswer().json()["target"].string == "/after")
    try connection.send("POST /private/ HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\nabc")
    let answer = try connection.receiveAnswer()
    #expect(answer.errorCode == "missing_token")
    #expect(answer.fields["Connection"] == "close")
    connection.sendIfPossible(Array("defghijGET / HTTP/1.1\r\nHost: app.test\r\n\r\n".utf8))
    #expect(connection.isClosed())
    #expect(backend.requests.count == 1)
  }

  @Test("GW-1 junk behind the last chunk is never a second request")
  func junkBehindLastChunk() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    try connection.send(
      "POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\njunk\0GET /b HTTP/1.1\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 200)
    #expect(try connection.receiveAnswer().status == 400)
    #expect(connection.isClosed())
    #expect(backend.requests.count == 1)
  }

  @Test("A token is checked once for all requests that wait for it, and remembered")
  func tokenIsRemembered() throws {
    let backend = try ScriptedBackend { try $0.reply() }
    let proxy = try ProxyFixture([backend])
    let statuses = try Parallel.run(8) { [port = proxy.port] _ in
      try LoopbackConnection.exchange(port: port, HTTPRequest.get("/private/a").signedIn()).status
    }
    #expect(statuses == Array(repeating: 200, count: 8))
    #expect(proxy.authority.state.withLock { $0.admissions } <= 8)
    let before = proxy.authority.state.withLock { $0.admissions }
    #expect(try proxy.exchange(.get("/private/a").signedIn()).status == 200)
    #expect(proxy.authority.state.withLock { $0.admissions } == before)
  }

  @Test("An assertion that has aged is signed anew once for all that wait, and the token not checked again")
  func renewal() throws {
    let backend = try ScriptedBackend { try $0.reply() }
    let proxy = try ProxyFixture([backend])
    proxy.authority.state.withLock { $0.assertionLife = -1 }
    let statuses = try Parallel.run(8) { [port = proxy.port] _ in
      try LoopbackConnection.exchange(port: port, HTTPRequest.get("/private/a").signedIn()).status
    }
    #expect(statuses == Array(repeating: 200, count: 8))
    let (admissions, assertions) = proxy.authority.state.withLock { ($0.admissions, $0.assertions) }
    #expect(try proxy.exchange(.get("/private/a").signedIn()).status == 200)
    #expect(backend.requests.last?.fields["X-Speed-Assertion"] == "assertion.\(assertions + 1)")
    #expect(proxy.authority.state.withLock { $0.admissions } == admissions)
  }

  @Test("A token whose key is taken no more ends when its assertion has aged")
  func renewalIsRefused() throws {
    let backend = try ScriptedBackend { try $0.reply() }
    let proxy = try ProxyFixture([backend])
    proxy.authority.state.withLock { $0.assertionLife = -1 }
    #expect(try proxy.exchange(.get("/private/a").signedIn()).status == 200)
    proxy.authority.state.withLock { $0.knownKeys = [] }
    #expect(try proxy.exchange(.get("/private/a").signedIn()).errorCode == "invalid_token")
    proxy.authority.state.withLock { $0.knownKeys = ["key"] }
    #expect(try proxy.exchange(.get("/private/a").signedIn()).status == 200)
  }

  @Test("GW-107 a remembered token ends with its revocation")
  func revocation() throws {
    let backend = try ScriptedBackend { try $0.reply() }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get("/private/a").signedIn()).status == 200)
    proxy.authority.revoke(StubAuthority.goodToken)
    let answer = try connection.exchange(.get("/private/a").signedIn())
    #expect(answer.errorCode == "invalid_token")
    #expect(answer.fields["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
    #expect(try connection.exchange(.get("/private/a").signedIn("good.other")).status == 200)
  }
}

/// Bytes for bodies: not the same everywhere, so that a missing or doubled run shows.
enum Sample {
  static func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + run.count)
    while bytes.count < count { bytes += run }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Of a length that no block and no chunk has.
  private static let run = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }

  /// A POST of `body`, with a length or in chunks of odd sizes.
  static func request(_ body: [UInt8], isChunked: Bool) -> [UInt8] {
    guard isChunked else { return HTTPRequest.post(body: body).bytes }
    var bytes = Array("POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    var rest = body[...]
    var size = 1
    while !rest.isEmpty {
      let chunk = rest.prefix(size)
      bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
      rest = rest.dropFirst(size)
      size = min(70_001, size * 2)
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }
}
