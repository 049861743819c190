import GatewayTesting
import Testing

/// Attacks on HTTP/2 itself, each on a connection of its own: it ends, and nobody else notices.
@Suite("HTTP/2 floods", .onWiresOfItsOwn) struct HTTP2FloodTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private var anonymous: HTTPRequest { HTTPRequest("GET", "/health", host: App.alpha.host) }

  /// Sends what `part` makes until the gateway ends the connection, `limit` times at most.
  private func flood(
    _ session: HTTP2Session, limit: Int, _ part: (Int) -> [UInt8], location: SourceLocation = #_sourceLocation
  ) throws {
    // Made before the first is sent: who is slower than the gateway lingers finds its last words gone with the reset.
    for bytes in (0..<limit).map(part) {
      do { try session.send(bytes) } catch is PeerClosed { break }
    }
    #expect(session.isClosed(), sourceLocation: location)
    let other = try stage.gateway.connectHTTP2()
    defer { other.close() }
    #expect(try other.exchange(anonymous).status == 200, sourceLocation: location)
  }

  @Test("GW-13 1,000 streams that are reset at once end their connection, and the backend is spared")
  func rapidReset() throws {
    let marker = Marker()
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let fields = HTTP2Session.fields(of: anonymous.adding("x-mark", "\(marker)"))
    try flood(session, limit: 1000) { round in
      let stream = Int32(round * 2 + 1)
      return HTTP2Frame.headers(stream, fields, ends: true).bytes + HTTP2Frame.reset(stream, HTTP2Code.cancel).bytes
    }
    #expect(session.frames.contains { $0.type == HTTP2Frame.Kind.goAway && $0.number(at: 4) == HTTP2Code.calm })
    #expect(stage.backend.requests.filter { $0.fields["X-Mark"] == "\(marker)" }.count < 500)
  }

  @Test("streams that the client makes the gateway reset count like those that it resets")
  func provokedResets() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let fields = HTTP2Session.fields(of: anonymous) + [("connection", "close")]
    try flood(session, limit: 1000) { HTTP2Frame.headers(Int32($0 * 2 + 1), fields, ends: true).bytes }
  }

  @Test(
    "frames that ask for work and move nothing end the connection",
    arguments: [
      HTTP2Frame.ping(), HTTP2Frame.settings(), HTTP2Frame.priority(1), HTTP2Frame.windowUpdate(0, 1),
      HTTP2Frame.windowUpdate(1, 1), HTTP2Frame.data(1, []),
    ])
  func idleFrames(frame: HTTP2Frame) throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    _ = try session.send(HTTP2Session.fields(of: anonymous), ends: false)
    let run = Array(repeating: frame.bytes, count: 50).flatMap { $0 }
    try flood(session, limit: 100) { _ in run }
  }

  @Test("CONTINUATION without end ends the connection")
  func continuations() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    let block = HTTP2FieldList.encode(HTTP2Session.fields(of: anonymous))
    try session.send(HTTP2Frame(HTTP2Frame.Kind.headers, stream: 1, block))
    let more = HTTP2FieldList.encode([("a", String(repeating: "x", count: 1000))])
    try flood(session, limit: 1000) { _ in HTTP2Frame.continuation(1, more, ends: false).bytes }
  }

  @Test("a list of fields that grows a thousandfold out of compression ends the connection")
  func compressionBomb() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    // One field that the table keeps (RFC 7541 section 6.2.1), and then the same in a byte each.
    let kept = [0x40] + HTTP2FieldList.encode([("a", String(repeating: "x", count: 3900))]).dropFirst()
    let block = HTTP2FieldList.encode(HTTP2Session.fields(of: anonymous)) + kept + Array(repeating: 0xBE, count: 10_000)
    try session.send(HTTP2Frame(HTTP2Frame.Kind.headers, flags: 5, stream: 1, block))
    #expect(try session.goAwayCode() == HTTP2Code.calm)
    #expect(session.isClosed())
  }

  @Test("streams beyond 128 at once are refused, and those there go on")
  func concurrency() throws {
    let gate = Gate()
    let backend = try ScriptedBackend { exchange in
      try gate.pass()
      try exchange.echo()
    }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    try session.wait { $0.type == HTTP2Frame.Kind.settings && $0.has(HTTP2Frame.acknowledgement) }
    let streams = try (0..<128).map { _ in try session.send(relay.request()) }
    // The gateway has acknowledged what came before this answer, and the client its limit.
    try session.send(HTTP2Frame.ping([1, 2, 3, 4, 5, 6, 7, 8]))
    try session.wait { $0.type == HTTP2Frame.Kind.ping }
    let extra = try session.send(relay.request())
    let end = try? session.resetCode(of: extra)
    #expect(end == HTTP2Code.refused || session.isClosed())
    gate.open()
    if end != nil { for stream in streams { #expect(try session.answer(to: stream).status == 200) } }
  }

  @Test("a client that never opens its window waits, alone, and gets all of it once it does")
  func shutWindow() throws {
    let size = 300_000
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(body: Array(repeating: 0x61, count: exchange.request.target == "/large" ? size : 5))
    }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2(settings: [(id: 4, value: 0)])
    defer { session.close() }
    session.opensWindows = false
    let stalled = try session.send(relay.request("GET", "/large"))
    #expect(try session.head(of: stalled).status == 200)
    let other = try session.send(relay.request())
    #expect(try session.head(of: other).status == 200)
    #expect(session.bodyBytes(of: stalled) == 0)
    try session.send(HTTP2Frame.windowUpdate(other, 5))
    #expect(try session.answer(to: other).body.count == 5)
    #expect(session.bodyBytes(of: stalled) == 0)
    session.opensWindows = true
    try session.send(HTTP2Frame.windowUpdate(stalled, 1000))
    #expect(try session.answer(to: stalled).body.count == size)
  }

  @Test("window updates of nothing or beyond the window end the stream or the connection")
  func windowUpdates() throws {
    let backend = try ScriptedBackend { _ = $0.waitForClose() }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(relay.request())
    try session.send(HTTP2Frame.windowUpdate(stream, 0x7FFF_FFFF))
    #expect(try session.resetCode(of: stream) == HTTP2Code.flowControl)
    try session.send(HTTP2Frame.windowUpdate(0, 0x7FFF_FFFF))
    #expect(try session.goAwayCode() == HTTP2Code.flowControl)
    #expect(session.isClosed())
  }

  @Test("bytes that are no HTTP/2 end a connection that agreed on it")
  func otherProtocol() throws {
    let session = try stage.gateway.connectHTTP2()
    defer { session.close() }
    try session.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + Array(repeating: 0xFF, count: 100))
    #expect(session.isClosed())
  }
}
