import GatewayTesting
import Testing

/// The helpers, one against the other: a test is worth no more than what it looks through.
@Suite("Test helpers", .onWiresOfItsOwn) struct HelperTests {
  private let host = "127.0.0.1"

  @Test("the backend echoes what the client sent, on one connection as often as asked")
  func echo() throws {
    let backend = try ScriptedBackend()
    let connection = try LoopbackConnection(port: backend.port)
    defer { connection.close() }
    for index in 0..<3 {
      let answer = try connection.exchange(
        HTTPRequest("POST", "/\(index)?q", host: host, fields: [("X-A", "1"), ("x-a", "2")], body: Array("hi".utf8)))
      let json = try answer.json()
      #expect(answer.status == 200)
      #expect(json["target"].string == "/\(index)?q" && json["body"].string == "hi" && json["bodyBytes"].integer == 2)
      #expect(json["position"].integer == Int64(index))
      #expect(try answer.echoedFields().all("X-A") == ["1", "2"])
    }
    #expect(backend.accepted == 1)
    #expect(backend.requests.allSatisfy { $0.isComplete })
    #expect(backend.received("POST /2?q HTTP/1.1\r\n") && !backend.received("POST /3"))
  }

  @Test("the backend complains of what no gateway may send, and answers nothing")
  func strictBackend() throws {
    let texts = [
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
    ]
    for text in texts {
      let backend = try ScriptedBackend()
      let connection = try LoopbackConnection(port: backend.port)
      defer { connection.close() }
      try connection.send(text)
      #expect(try connection.receiveToEnd() == [])
      #expect(backend.faults.count == 1)
      #expect(backend.requests.isEmpty)
    }
  }

  @Test("the client reads answers framed by length, by chunks and by the end of the connection")
  func framings() throws {
    let backend = try ScriptedBackend { exchange in
      switch exchange.request.target {
      case "/chunks":
        try exchange.startChunked()
        for piece in ["ab", "c", ""] { try exchange.sendChunk(Array(piece.utf8)) }
      case "/end":
        try exchange.send("HTTP/1.1 200 OK\r\n\r\nabc")
        exchange.close()
      default:
        try exchange.send("HTTP/1.1 100 Continue\r\n\r\n")
        try exchange.reply(200, [], body: Array("abc".utf8))
      }
    }
    let connection = try LoopbackConnection(port: backend.port)
    defer { connection.close() }
    for target in ["/length", "/chunks", "/end"] {
      #expect(try connection.exchange(HTTPRequest("GET", target, host: host)).text == "abc")
    }
    #expect(connection.isClosed())
  }

  @Test(
    "the client refuses an answer that is framed twice or not cleanly",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na", "HTTP/1.1 200 OK\nX: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab",
      "nonsense\r\n\r\n",
    ])
  func strictClient(text: String) throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send(text)
      exchange.close()
    }
    let connection = try LoopbackConnection(port: backend.port)
    defer { connection.close() }
    #expect(throws: (any Error).self) { try connection.exchange(HTTPRequest("GET", "/", host: host)) }
  }

  @Test("a closed and a reset connection are both seen, on both sides")
  func ends() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/reset" { exchange.reset() } else { _ = exchange.waitForClose() }
    }
    let reset = try LoopbackConnection(port: backend.port)
    try reset.send(HTTPRequest("GET", "/reset", host: host).bytes)
    #expect(reset.isClosed())
    let closing = try LoopbackConnection(port: backend.port)
    try closing.send(HTTPRequest("GET", "/wait", host: host).bytes)
    #expect(backend.waitForRequest { $0.target == "/wait" } != nil)
    closing.close()
    #expect(backend.waitForOpen(0))
  }

  @Test("a process's output, end and memory are seen, and it does not outlive its owner")
  func processes() throws {
    let result = try CommandResult.run(["/bin/sh", "-c", "echo out; echo err >&2; printf half; exit 3"])
    #expect(result.exitCode == 3)
    #expect(result.standardOutput == "out\nhalf" && result.standardError == "err\n")
    var process: ChildProcess? = try ChildProcess(
      ["/bin/sh", "-c", "echo ready; exec sleep 1000"], environment: ProcessEnvironment.inherited, folder: "/tmp")
    let identifier = try #require(process?.identifier)
    #expect(process?.waitForLine { $0 == "ready" ? true : nil } == true)
    #expect((process?.residentBytes ?? 0) > 0)
    #expect(process?.isRunning == true)
    process?.signal(15)
    #expect(process?.waitForEnd() == .killed(15))
    process = nil
    #expect((try? FileBytes.read("/proc/\(identifier)/statm")) == nil)
  }

  @Test("JSON keeps apart what looks alike")
  func json() throws {
    let value = try JSON(parsing: Array(#"{"a":1,"b":true,"c":"1","d":null,"e":[1.5],"f":{}}"#.utf8))
    let expected: JSON = [
      "a": 1, "b": true, "c": "1", "d": nil, "e": .array([.number(1.5)]), "f": .object([:]),
    ]
    #expect(value == expected)
    #expect(try JSON(parsing: value.bytes) == value)
    #expect(throws: TestFailure.self) { try JSON(parsing: Array("{".utf8)) }
  }
}
