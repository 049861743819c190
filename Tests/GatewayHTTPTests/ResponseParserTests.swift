import GatewayBase
import GatewayHTTP
import Testing

@Suite("Response heads") struct ResponseParserTests {
  @Test("status, reason and version are read")
  func parts() throws {
    let seen = try #require(parseResponse("HTTP/1.0 404 Not Found\r\nA: b\r\n\r\n"))
    #expect(seen.head.status == 404)
    #expect(seen.head.minorVersion == 0)
    #expect(seen.head.reasonRange == 13..<22)
    #expect(seen.fields.map(\.name) == ["A"])
  }

  @Test("a reason may be empty, even without its space", arguments: ["HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 200\r\n\r\n"])
  func emptyReason(text: String) throws {
    #expect(try #require(parseResponse(text)).head.reasonRange.isEmpty)
  }

  @Test(
    "a status line in doubt is malformed",
    arguments: [
      "HTTP/1.1 99 x", "HTTP/1.1 099 x", "HTTP/1.1 600 x", "HTTP/1.1 2000 x", "HTTP/1.1 20 x", "HTTP/1.1  200 x",
      "HTTP/1.1 2x0 x",
      "HTTP/2.0 200 x", "http/1.1 200 x", "HTTP/1.1\t200 x", "HTTP/1.1 200x", "HTTP/1.1 200 \u{0}", "HTTP/1.1 200 a\rb",
      "HTTP/1.1 200 a\nb",
      "ICY 200 OK", "", "HTTP/1.1", "HTTP/1.1 -20 x", "\r\nHTTP/1.1 200 OK",
    ])
  func malformedLine(line: String) { #expect(parseResponse("\(line)\r\nContent-Length: 0\r\n\r\n") == nil) }

  @Test(
    "framing in doubt is malformed",
    arguments: [
      "Content-Length: 1\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 1",
      "Content-Length: 1\r\nContent-Length: 1", "Content-Length: 1, 1", "Content-Length: +1", "Content-Length:",
      "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding:",
      "A : b", " A: b", "A: b\r\n c", "A: \u{0}", "Connection: a b",
    ])
  func malformedFraming(lines: String) { #expect(parseResponse("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n") == nil) }

  @Test("chunked on HTTP/1.0 is malformed")
  func chunked10() { #expect(parseResponse("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") == nil) }

  @Test(
    "the body's end follows from method, status and fields",
    arguments: [
      (HTTPMethod.get, 200, "Content-Length: 5", .length(5)), (.get, 200, "Transfer-Encoding: chunked", .chunked),
      (.get, 200, "A: b", .untilClose), (.head, 200, "Content-Length: 5", .none), (.head, 200, "A: b", .none),
      (.head, 200, "Transfer-Encoding: chunked", .none), (.get, 204, "A: b", .none),
      (.get, 304, "Content-Length: 5", .none),
      (.get, 103, "A: b", .none), (.get, 101, "A: b", .none), (.post, 500, "A: b", .untilClose),
      (.get, 205, "Content-Length: 0", .length(0)),
    ] as [(HTTPMethod, Int, String, BodyFraming)])
  func framing(method: HTTPMethod, status: Int, line: String, expected: BodyFraming) throws {
    let seen = try #require(parseResponse("HTTP/1.1 \(status) x\r\n\(line)\r\n\r\n", to: method))
    #expect(seen.head.framing == expected)
  }

  @Test("the declared length is told where there is no body")
  func declaredLength() throws {
    #expect(
      try #require(parseResponse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: .head)).head.declaredLength == 5)
    #expect(try #require(parseResponse("HTTP/1.1 304 x\r\n\r\n")).head.declaredLength == nil)
  }

  @Test(
    "the connection may be used again only where the next answer's start is beyond doubt",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 0", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close", false),
      ("HTTP/1.1 200 OK", false), ("HTTP/1.0 200 OK\r\nContent-Length: 0", false),
      ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", true), ("HTTP/1.1 204 x", true),
      ("HTTP/1.1 204 x\r\nContent-Length: 0", true), ("HTTP/1.1 204 x\r\nContent-Length: 5", false),
      ("HTTP/1.1 204 x\r\nTransfer-Encoding: chunked", false), ("HTTP/1.1 304 x\r\nContent-Length: 5", true),
    ])
  func keepAlive(lines: String, expected: Bool) throws {
    #expect(try #require(parseResponse(lines + "\r\n\r\n")).head.keepAlive == expected)
  }

  @Test(
    "GW-70 the backend's idle time is read",
    arguments: [
      ("timeout=5", 5), ("max=100, timeout=15", 15), ("Timeout=5, max=3", 5), ("timeout=", nil), ("timeout=x", nil),
      ("timeout=-1", nil),
      ("timeout=9999999999", nil), ("max=5", nil), ("timeout=0", 0), ("time", nil),
    ] as [(String, UInt32?)])
  func keepAliveTimeout(value: String, expected: UInt32?) throws {
    let seen = try #require(parseResponse("HTTP/1.1 204 x\r\nKeep-Alive: \(value)\r\n\r\n"))
    #expect(seen.head.keepAliveTimeout == expected)
  }

  @Test("interim answers are told apart from final ones and from a switch of protocols")
  func interim() throws {
    #expect(try #require(parseResponse("HTTP/1.1 100 x\r\n\r\n")).head.isInterim)
    #expect(try #require(parseResponse("HTTP/1.1 103 x\r\n\r\n")).head.isInterim)
    #expect(try !#require(parseResponse("HTTP/1.1 200 x\r\n\r\n")).head.isInterim)
    let switching = try #require(parseResponse("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"))
    #expect(!switching.head.isInterim)
    #expect(switching.head.upgrade == .websocket)
  }

  @Test("only 101 switches protocols")
  func upgradeElsewhere() throws {
    let seen = try #require(parseResponse("HTTP/1.1 200 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"))
    #expect(seen.head.upgrade == Upgrade.none)
  }
}
