import GatewayTesting
import Testing

/// Section 9, "Sizes" and "Expect".
@Suite("Sizes", .onEveryWire) struct SizeTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("GW-6 a head over its limits is 431, a target over 8 KiB 414")
  func heads() throws {
    let long = String(repeating: "a", count: 40 * 1024)
    try stage.expectRefusal("GET / HTTP/1.1\r\nGOOD\r\nX-Long: \(long)\r\n\r\n", 431)
    let many = String(repeating: "a:\r\n", count: 200)
    try stage.expectRefusal("GET / HTTP/1.1\r\nGOOD\r\n\(many)\r\n", 431)
    try stage.expectRefusal("GET /\(String(repeating: "a", count: 9 * 1024)) HTTP/1.1\r\nGOOD\r\n\r\n", 414)
  }

  @Test("GW-6 70,000 empty fields end with 431 long before the last one")
  func flood() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    connection.sendIfPossible(
      Array("GET / HTTP/1.1\r\nHost: \(App.alpha.host)\r\n".utf8)
        + Array(String(repeating: "a:\r\n", count: 70_000).utf8))
    let answers = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    // The rest of the flood may turn the close into a reset that overtakes the answer.
    #expect(answers.hasPrefix("HTTP/1.1 431 ") || answers.isEmpty)
  }

  @Test("a head under the limits passes: 128 fields, a target of 8,000 bytes, a head of 30 KiB")
  func within() throws {
    #expect(try stage.send("GET", "/\(String(repeating: "a", count: 8000))").status == 200)
    #expect(try stage.send("GET", "/", [("X-Long", String(repeating: "b", count: 28 * 1024))]).status == 200)
    // Host, Authorization and X-Speed-Request-From are the other three.
    #expect(try stage.send("GET", "/", (0..<125).map { ("X-\($0)", "1") }).status == 200)
  }

  @Test("a body over the route's limit is 413 before the backend is called, where the head tells")
  func declared() throws {
    try stage.expectRefusal("POST /small/x HTTP/1.1\r\nGOOD\r\nContent-Length: 1025\r\n\r\n", 413)
    #expect(try stage.send("POST", "/small/x", body: [UInt8](repeating: 97, count: 1024)).status == 200)
  }

  @Test("a chunked body over the route's limit is 413, counted on what passes")
  func counted() throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    let chunk = "200\r\n\(String(repeating: "a", count: 512))\r\n"
    try connection.send(
      stage.fill("POST /small/x HTTP/1.1\r\nGOOD\r\nTransfer-Encoding: chunked\r\n\r\n", marker))
    try connection.send(chunk + chunk)
    connection.sendIfPossible(Array((chunk + "0\r\n\r\n").utf8))
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 413)
    #expect(answer.errorCode == "body_too_large")
    #expect(try connection.receiveToEnd() == [])
    let seen = stage.backend.requests.filter { $0.fields["X-Mark"] == "\(marker)" }
    #expect(seen.allSatisfy { !$0.isComplete && $0.body.count <= 1024 })
  }

  @Test("GW-61 Expect: 100-continue is judged first: the final status comes, and no 100 before it")
  func expectRefused() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      "POST / HTTP/1.1\r\nHost: \(App.alpha.host)\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 401)
    try stage.expectRefusal(
      "POST /small/x HTTP/1.1\r\nGOOD\r\nContent-Length: 1025\r\nExpect: 100-continue\r\n\r\n", 413)
  }

  @Test("GW-61 Expect: 100-continue of a good request gets 100, then the answer, in this order")
  func expectGranted() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      stage.fill("POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", Marker()))
    #expect(try connection.receiveAnswer().status == 100)
    try connection.send("hello")
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 200)
    #expect(try answer.json()["body"].string == "hello")
  }

  @Test("a client that does not wait for its 100 is served too")
  func impatient() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(
      stage.fill("POST / HTTP/1.1\r\nGOOD\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello", Marker()))
    var answer = try connection.receiveAnswer()
    if answer.status == 100 { answer = try connection.receiveAnswer() }
    #expect(answer.status == 200)
    #expect(try connection.exchange(.authorized("GET", "/2", host: App.alpha.host, bearer: stage.bearer)).status == 200)
  }

  @Test("a refused request with a body does not turn the body into a next request")
  func refusedBody() throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    let inner = stage.fill("GET /\(marker) HTTP/1.1\r\nGOOD\r\n\r\n", marker)
    try connection.send(
      "POST / HTTP/1.1\r\nHost: \(App.alpha.host)\r\nContent-Length: \(inner.utf8.count)\r\n\r\n\(inner)")
    #expect(try connection.receiveAnswer().status == 401)
    connection.finishSending()
    #expect(try connection.receiveToEnd() == [])
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("a target over the limit of the whole head is refused as a target")
  func longestTarget() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send("GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: \(App.alpha.host)\r\n\r\n")
    #expect(try connection.receiveAnswer().status == 414)
  }

  @Test("pipelined requests beyond what is begun in one go are all answered, in order")
  func manyPipelined() throws {
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(String(repeating: "GET / HTTP/1.1\r\nHost: \(App.alpha.host)\r\n\r\n", count: 100))
    for _ in 0..<100 { #expect(try connection.receiveAnswer().status == 401) }
  }
}
