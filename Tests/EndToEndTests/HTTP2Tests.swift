import GatewayTesting
import Testing

/// What HTTP/2 alone has: streams, windows, pseudo-fields, and the attacks on them.
@Suite("HTTP/2", .onWiresOfItsOwn) struct HTTP2Tests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private func request(
    _ method: String = "GET", _ target: String = "/", _ fields: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) -> HTTPRequest {
    var request = HTTPRequest.authorized(method, target, host: App.alpha.host, bearer: stage.bearer, body: body)
    request.fields += fields
    return request
  }

  /// The fields of a good request, its path replaced.
  private func fields(path: String = "/", marker: Marker) -> [(name: String, value: String)] {
    HTTP2Session.fields(of: request("GET", path, [("x-mark", "\(marker)")]))
  }

  /// Sends one list of fields that must be refused without a byte at the backend.
  private func expectRefusal(
    _ fields: [(name: String, value: String)], _ status: Int, _ marker: Marker,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let answer = try session.answer(to: session.send(fields))
    #expect(answer.status == status, sourceLocation: location)
    #expect(answer.errorCode != nil, sourceLocation: location)
    #expect(answer.fields["x-speed-error"] == answer.errorCode, sourceLocation: location)
    #expect(!stage.backend.received("\(marker)"), sourceLocation: location)
    // The stream is refused, not the connection: others go on.
    #expect(try session.exchange(request()).status == 200, sourceLocation: location)
  }

  @Test(
    "GW-3 a path with a line end is refused before anything is built from it",
    arguments: ["/ HTTP/1.1\r\nX-A: b", "/\r\n", "/a\n", "/\0"])
  func lineEndInPath(path: String) throws {
    let marker = Marker()
    try expectRefusal(fields(path: path, marker: marker), 400, marker)
    #expect(!stage.backend.received("X-A: b"))
  }

  @Test("GW-5 a path with a blank is refused", arguments: ["/a HTTP/1.1", "/a b", "/ ", ""])
  func blankInPath(path: String) throws {
    let marker = Marker()
    try expectRefusal(fields(path: path, marker: marker), 400, marker)
  }

  @Test("GW-10 a Host that says something else than :authority is refused")
  func hostAndAuthority() throws {
    let marker = Marker()
    let good = fields(marker: marker)
    try expectRefusal(good + [("host", App.beta.host)], 400, marker)
    try expectRefusal(
      good + [("host", App.alpha.host), ("host", App.alpha.host)].dropLast() + [("host", "")], 400, marker)
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let bare = good.filter { $0.name != ":authority" }
    #expect(try session.answer(to: session.send(bare + [("host", App.alpha.host)])).status == 200)
    #expect(try session.answer(to: session.send(good + [("host", App.alpha.host)])).status == 200)
    #expect(try session.answer(to: session.send(bare)).status == 400)
  }

  @Test("pseudo-fields that are missing, repeated, late or unknown are refused")
  func pseudoFields() throws {
    let marker = Marker()
    let good = fields(marker: marker)
    try expectRefusal(good.filter { $0.name != ":path" }, 400, marker)
    try expectRefusal(good.filter { $0.name != ":scheme" }, 400, marker)
    try expectRefusal(good + [(":path", "/")], 400, marker)
    try expectRefusal([(":path", "/")] + good, 400, marker)
    try expectRefusal([(":odd", "/")] + good, 400, marker)
  }

  @Test("CONNECT, plain or extended, is 405")
  func connect() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let plain = try session.send([(":method", "CONNECT"), (":authority", "\(App.alpha.host):443")])
    #expect(try session.answer(to: plain).status == 405)
    let marker = Marker()
    let extended = fields(path: "/w", marker: marker).map { $0.name == ":method" ? (":method", "CONNECT") : $0 }
    #expect(try session.answer(to: session.send([(":protocol", "websocket")] + extended)).status == 405)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test(
    "a field of a connection of HTTP/1.1 resets its stream alone",
    arguments: [("connection", "close"), ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("te", "gzip")])
  func connectionFields(name: String, value: String) throws {
    let marker = Marker()
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(fields(marker: marker) + [(name, value)])
    #expect(try session.resetCode(of: stream) == HTTP2Code.protocolError)
    #expect(try session.exchange(request()).status == 200)
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("sizes are refused as over HTTP/1.1: 431 for the head and its fields, 414 for the target, 413 for the body")
  func sizes() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let long = String(repeating: "x", count: 10_000)
    let large = (0..<4).map { (name: "x-large-\($0)", value: long) }
    #expect(try session.exchange(request("GET", "/", large)).status == 431)
    let many = (0..<200).map { (name: "x-many-\($0)", value: "1") }
    #expect(try session.exchange(request("GET", "/", many)).status == 431)
    #expect(try session.exchange(request("GET", "/" + long)).status == 414)
    let stream = try session.send(request("POST", "/small/x"), ends: false)
    try session.sendData(stream, Array(repeating: 1, count: 2048), ends: false)
    #expect(try session.answer(to: stream).status == 413)
    #expect(try session.resetCode(of: stream) == HTTP2Code.noError)
    #expect(try session.exchange(request()).status == 200)
  }

  @Test("a body that is not of its announced length never reaches the backend as a whole request")
  func lengths() throws {
    let marker = Marker()
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let fields = fields(marker: marker).map { $0.name == ":method" ? (":method", "POST") : $0 }
    for body in ["12345", "123"] {
      let stream = try session.send(fields + [("content-length", "4")], ends: false)
      try session.sendData(stream, Array(body.utf8), ends: true)
      _ = try session.wait { $0.type == HTTP2Frame.Kind.reset && $0.stream == stream }
    }
    let seen = stage.backend.requests.filter { $0.fields["X-Mark"] == "\(marker)" }
    #expect(seen.allSatisfy { !$0.isComplete })
  }

  @Test("100-continue is told before the body, and a refusal instead of it")
  func expectContinue() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let expects = [(name: "expect", value: "100-continue"), (name: "content-length", value: "2")]
    let stream = try session.send(request("POST", "/", expects), ends: false)
    #expect(try session.interimStatus(of: stream) == 100)
    try session.sendData(stream, Array("hi".utf8), ends: true)
    #expect(try JSON(parsing: session.answer(to: stream).body)["body"].string == "hi")
    var anonymous = request("POST", "/", expects)
    anonymous.fields.removeAll { $0.name == "Authorization" }
    let refused = try session.send(anonymous, ends: false)
    #expect(try session.interimStatus(of: refused) == 401)
  }

  @Test("crumbs of cookie arrive as one field")
  func cookies() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let answer = try session.exchange(request("GET", "/", [("cookie", "a=1"), ("x-y", "z"), ("cookie", "b=2")]))
    let lines = try JSON(parsing: answer.body)["fields"].items
    #expect(lines.filter { $0[0].string?.lowercased() == "cookie" }.map { $0[1].string } == ["a=1; b=2"])
  }

  private static let speaksHTTP2 =
    (try? CommandResult.run(["curl", "--version"]))?.standardOutput.contains("HTTP2") ?? false

  @Test("curl talks HTTP/2", .enabled(if: speaksHTTP2, "there is no curl with HTTP/2"))
  func curl() throws {
    let port = try #require(stage.gateway.tlsPort)
    let call = try CommandResult.run([
      "curl", "-sS", "--http2", "--cacert", stage.gateway.folder.path("certs/test.pem"), "-w",
      "\n%{http_code} %{http_version}", "--resolve", "\(App.alpha.host):\(port):127.0.0.1", "-H",
      "Authorization: Bearer \(stage.bearer)", "-H", "X-Speed-Request-From: app", "--data-binary", "hello",
      "https://\(App.alpha.host):\(port)/curl",
    ])
    let lines = call.standardOutput.split(separator: "\n")
    #expect(lines.last == "200 2", "\(call.standardError)")
    #expect(try JSON(parsing: Array((lines.first ?? "").utf8))["body"].string == "hello")
  }
}
