import GatewayTesting
import Testing

/// Section 9, "Framing", and the rows of faults under that heading.
@Suite("Framing", .aboutHTTP1) struct FramingTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test(
    "GW-1 junk after the last chunk is never taken for a request",
    arguments: ["GARBAGE", "x\r\n\r\n", "GET /MARK HTTP/1.1\r\nHost: APP\r\n\r\n"])
  func junkAfterLastChunk(junk: String) throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    // The junk stands where the trailer section's blank line is due.
    try connection.send(
      stage.fill("POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(junk)", marker))
    connection.finishSending()
    let answers = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    #expect(answers.ranges(of: "HTTP/1.1 ").count <= 1)
    #expect(!answers.contains("HTTP/1.1 200"))
    #expect(!stage.backend.received("GET /\(marker)"))
  }

  @Test("GW-1 bytes after a whole request that are no request get 400 and end the connection")
  func junkAfterMessage() throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      stage.fill("POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\njunk \u{1}\r\n\r\n", marker))
    #expect(try connection.receiveAnswer().status == 200)
    #expect(try connection.receiveAnswer().status == 400)
    #expect(try connection.receiveToEnd() == [])
  }

  @Test(
    "GW-2 a Transfer-Encoding other than the one token chunked is refused",
    arguments: [
      "gzip, chunked", "xchunked", "chunked, chunked", "chunked;q=1", "\"chunked\"", "chunked,", ", chunked",
      "identity",
      "gzip", "chunked\u{b}", "",
    ])
  func otherCoding(value: String) throws {
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: \(value)\r\n\r\n0\r\n\r\n", 400, 501)
  }

  @Test("GW-2 two Transfer-Encoding lines are refused, and so is an empty one beside a length")
  func repeatedCoding() throws {
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 501)
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding:\r\nContent-Length: 4\r\n\r\nabcd", 400, 501)
  }

  @Test("GW-2 chunked on HTTP/1.0 is refused")
  func chunkedOnOldVersion() throws {
    try stage.expectRefusal("POST / HTTP/1.0\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)
  }

  @Test("GW-7 a length together with chunked is refused, in both orders")
  func lengthAndChunked() throws {
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400)
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)
  }

  @Test(
    "GW-9 a Content-Length that is not one plain number is refused",
    arguments: [
      "1, 1", "5, 5", "+1", "0x1", "-1", "1 1", "1.0", "1e1", "", "99999999999999999999",
      String(repeating: "9", count: 30), "１", "1\u{b}", "1;",
    ])
  func badLength(value: String) throws {
    try stage.expectRefusal("POST / HTTP/1.1\r\nGOOD\r\nContent-Length: \(value)\r\n\r\na", 400)
  }

  @Test("GW-9 Content-Length twice is refused, equal or not")
  func repeatedLength() throws {
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400)
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400)
  }

  @Test("GW-9 the framing towards the backend says what was read")
  func rebuiltFraming() throws {
    let plain = try stage.expectForwarded("POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 005\r\n\r\nhello")
    #expect(plain.body == "hello")
    #expect(plain.fields["Content-Length"] == "5" || plain.fields["Transfer-Encoding"] == "chunked")
    let empty = try stage.expectForwarded("GET / HTTP/1.1\r\nGOOD\r\n\r\n")
    #expect(empty.fields["Transfer-Encoding"] == nil)
  }

  @Test("an extension of a chunk is taken and not forwarded")
  func chunkExtension() throws {
    let seen = try stage.expectForwarded(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n2 ;c=\"d\"\r\nyz\r\n0\r\n\r\n"
        .replacing("2 ;c", with: "2;c"))
    #expect(seen.body == "xyz")
    #expect(!stage.backend.received("1;a=b"))
  }

  @Test(
    "a chunk size that is not plain hexadecimal with CRLF is refused",
    arguments: [
      "1 \r\nx\r\n", "0x1\r\nx\r\n", "1\nx\r\n", "+1\r\nx\r\n", "-1\r\nx\r\n", "\r\nx\r\n", "g\r\nx\r\n",
      "1\r\nxx\r\n", "1\r\nx\n", "ffffffffffffffffff\r\nx\r\n", "1;a=\u{0}b\r\nx\r\n", "1;a\nb\r\nx\r\n",
    ])
  func badChunk(chunk: String) throws {
    try stage.expectBrokenBody(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n\r\n")
  }

  @Test("trailers are read and dropped, whatever they claim to be")
  func trailers() throws {
    let seen = try stage.expectForwarded(
      "POST / HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
        + "X-Speed-User-Id: 1\r\nHost: b\r\nX-Trailer-Mark: 1\r\n\r\n")
    #expect(seen.body == "x")
    #expect(seen.fields.all("X-Speed-User-Id").filter { $0 == "1" }.isEmpty)
    #expect(!stage.backend.received("X-Trailer-Mark"))
  }

  @Test(
    "a head with more or less than CRLF, a colon and clean bytes is refused",
    arguments: [
      "GET / HTTP/1.1\r\nGOOD\r\nX-A : 1\r\n\r\n", "GET / HTTP/1.1\r\nGOOD\r\nX-A: 1\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\n X-A: 1\r\nGOOD\r\n\r\n", "GET / HTTP/1.1\r\nGOOD\r\nX-A: a\u{0}b\r\n\r\n",
      "GET / HTTP/1.1\r\nGOOD\r\nX-A: a\rb\r\n\r\n", "GET / HTTP/1.1\r\nGOOD\nX-A: b\r\n\r\n",
      "GET / HTTP/1.1\nGOOD\r\n\r\n", "GET / HTTP/1.1\r\nGOOD\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\nGOOD\r\n: nameless\r\n\r\n", "GET / HTTP/1.1\r\nGOOD\r\nX(A): 1\r\n\r\n",
      "GET / HTTP/1.1\r\nGOOD\r\nX-\u{E9}: 1\r\n\r\n", "GET  / HTTP/1.1\r\nGOOD\r\n\r\n",
      "GET / HTTP/1.1 \r\nGOOD\r\n\r\n", "GET /\tHTTP/1.1\r\nGOOD\r\n\r\n", "GET /\r\nGOOD\r\n\r\n",
      "GET / HTTP/1.2\r\nGOOD\r\n\r\n", "GET / HTTP/2.0\r\nGOOD\r\n\r\n", "GET / http/1.1\r\nGOOD\r\n\r\n",
      "G(T / HTTP/1.1\r\nGOOD\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    ])
  func badHead(text: String) throws {
    try stage.expectRefusal(text, 400, 505)
  }

  @Test("of two pipelined requests the second is never executed where the first is malformed")
  func malformedFirst() throws {
    try stage.expectRefusal(
      "GET / HTTP/1.1\r\nGOOD\r\nX-A : 1\r\n\r\nGET /MARK HTTP/1.1\r\nGOOD\r\n\r\n", 400)
    try stage.expectRefusal(
      "POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 1\r\nContent-Length: 40\r\n\r\n"
        + "aGET /MARK HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test("pipelined requests are answered in their order")
  func pipelined() throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      stage.fill(
        "GET /1 HTTP/1.1\r\nGOOD\r\n\r\nPOST /2 HTTP/1.1\r\nGOOD\r\nContent-Length: 3\r\n\r\nabc"
          + "GET /3 HTTP/1.1\r\nGOOD\r\n\r\n", marker))
    for target in ["/1", "/2", "/3"] {
      #expect(try connection.receiveAnswer().json()["target"].string == target)
    }
  }

  @Test("a request that comes byte by byte is the same request")
  func bytewise() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.sendBytewise(
      stage.fill(
        "POST /slow HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", Marker()))
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 200)
    #expect(try answer.json()["body"].string == "hello")
  }

  @Test("an HTTP/1.0 request is answered and its connection closed")
  func oldVersion() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(stage.fill("GET /old HTTP/1.0\r\nGOOD\r\n\r\n", Marker()))
    #expect(try connection.receiveAnswer().status == 200)
    #expect(try connection.receiveToEnd() == [])
  }

  @Test(
    "GW-14 an upgrade to anything but a WebSocket is no upgrade",
    arguments: ["h2c", "TLS/1.2", "websocket2", "foo, websocket"])
  func otherUpgrade(protocol name: String) throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      stage.fill(
        "GET / HTTP/1.1\r\nGOOD\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: \(name)\r\n"
          + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n", marker))
    let answer = try connection.receiveAnswer()
    #expect(answer.status != 101)
    for request in stage.backend.requests where request.fields["X-Mark"] == "\(marker)" {
      #expect(request.fields["Upgrade"] == nil)
      #expect(request.fields["HTTP2-Settings"] == nil)
    }
  }

  @Test("GW-15 what Connection nominates is not forwarded, and nor are the hop-by-hop fields themselves")
  func hopByHop() throws {
    let seen = try stage.expectForwarded(
      "GET / HTTP/1.1\r\nGOOD\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n"
        + "Proxy-Connection: keep-alive\r\nTE: trailers\r\nProxy-Authorization: Basic eA==\r\nX-Stays: 1\r\n\r\n")
    for name in ["X-Hop", "Keep-Alive", "Proxy-Connection", "TE", "Proxy-Authorization", "Upgrade"] {
      #expect(seen.fields[name] == nil, "\(name)")
    }
    #expect(seen.fields["X-Stays"] == "1")
  }
}
