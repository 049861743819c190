import GatewayTesting
import Testing

/// Section 9 "Upgrade", and the faults under "WebSocket".
@Suite("WebSocket", .aboutHTTP1) struct WebSocketTests {
  /// Agrees to every handshake and sends each frame back as it came.
  private static let echoing: ScriptedBackend.Script = { exchange in
    try exchange.acceptWebSocket()
    while true { try exchange.send(try exchange.receiveFrame()) }
  }

  private static let handshake: [(name: String, value: String)] = [
    ("Connection", "keep-alive, Upgrade"), ("Upgrade", "WebSocket"), ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
  ]

  private func open(_ relay: Relay, _ fields: [(name: String, value: String)] = []) throws -> LoopbackConnection {
    let connection = try relay.gateway.connect()
    try connection.send(relay.request("GET", "/socket", Self.handshake + fields).bytes)
    let answer = try connection.receiveHead()
    guard answer.status == 101 else { throw TestFailure("the handshake was answered with \(answer.status)") }
    return connection
  }

  /// A handshake without `Authorization` and `X-Speed-Request-From`, as a browser sends it.
  private func browser(_ protocols: String, _ fields: [(name: String, value: String)] = []) -> HTTPRequest {
    HTTPRequest(
      "GET", "/socket", host: Relay.host,
      fields: Self.handshake + [("Sec-WebSocket-Protocol", protocols)] + fields)
  }

  @Test("frames pass both ways as they are, pings and large ones too")
  func frames() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    let frames = [
      WebSocketFrame.text("hello"), WebSocketFrame(.ping, [1, 2, 3]), WebSocketFrame(.text, []),
      WebSocketFrame(.text, [UInt8](repeating: 0x61, count: 200_000)),
    ]
    for frame in frames {
      try connection.send(frame)
      #expect(try connection.receiveFrame() == frame)
    }
    #expect(backend.requests.first?.fields["Upgrade"] == "websocket")
    #expect(backend.requests.first?.fields["Connection"] == "Upgrade")
    #expect(backend.requests.first?.fields["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
  }

  @Test("GW-6 a handshake offers 64 subprotocols at most, also where a head may be as large as can be")
  func manyOffers() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(
      ports: [backend.port], sections: ["limits": "{ maxHeader: 60KiB, signIns: { requests: 1000, per: 1s } }"])
    func answer(offers: Int) throws -> HTTPAnswer {
      let connection = try relay.gateway.connect()
      defer { connection.close() }
      let offer = Array(repeating: "a", count: offers).joined(separator: ",")
      try connection.send(
        relay.request("GET", "/socket", Self.handshake + [("Sec-WebSocket-Protocol", offer)]).bytes)
      return try connection.receiveHead()
    }
    #expect(try answer(offers: 64).status == 101)
    #expect(try answer(offers: 65).status == 400)
    // Written anew with a blank behind each comma these would not fit into a block.
    #expect(try answer(offers: 29_000).status == 400)
    #expect(try answer(offers: 1).status == 101)
  }

  @Test("the first frames may come with the handshake, in one piece, on either side")
  func atOnce() throws {
    let backend = try ScriptedBackend { exchange in
      let greeting = WebSocketFrame.text("welcome").bytes(mask: nil)
      try exchange.send(
        Array("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n".utf8) + greeting)
      try exchange.send(try exchange.receiveFrame())
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(
      relay.request("GET", "/", Self.handshake).bytes + WebSocketFrame.text("early").bytes(mask: [1, 2, 3, 4]))
    #expect(try connection.receiveHead().status == 101)
    #expect(try connection.receiveFrame() == .text("welcome"))
    #expect(try connection.receiveFrame() == .text("early"))
    #expect(connection.isClosed())
  }

  @Test("GW-15 a handshake's Connection can't take the assertion from the backend")
  func nominated() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    var request = relay.request(
      "GET", "/", [("Connection", "Upgrade, X-Speed-Assertion, X-Hop"), ("X-Hop", "1")] + Self.handshake.dropFirst())
    request.fields.append(("X-Speed-Assertion", "forged"))
    try connection.send(request.bytes)
    #expect(try connection.receiveHead().status == 101)
    let seen = try #require(backend.requests.first)
    #expect(seen.fields.all("X-Speed-Assertion").count == 1 && seen.fields["X-Speed-Assertion"] != "forged")
    #expect(seen.fields["X-Hop"] == nil)
  }

  @Test("GW-49 a browser's token comes as a subprotocol, which the backend never sees")
  func subprotocol() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(browser("speed, speed.bearer.\(relay.bearer), chat").bytes)
    let answer = try connection.receiveHead()
    #expect(answer.status == 101)
    #expect(answer.fields.all("Sec-WebSocket-Protocol") == ["speed"])
    let seen = try #require(backend.requests.first)
    #expect(seen.fields.all("Sec-WebSocket-Protocol") == ["speed, chat"])
    #expect(seen.fields["X-Speed-Request-From"] == "web")
    #expect(seen.fields["X-Speed-User-Id"] != nil)
    #expect(seen.fields["Authorization"] == "Bearer \(relay.bearer)")
    #expect(!backend.received("speed.bearer."))
  }

  @Test("the backend's choice of a subprotocol is the answer, and none is answered where speed was not offered")
  func choice() throws {
    let backend = try ScriptedBackend { exchange in
      let isChat = exchange.request.fields["Sec-WebSocket-Protocol"]?.contains("chat") ?? false
      try exchange.acceptWebSocket(isChat ? [("Sec-WebSocket-Protocol", "chat")] : [])
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    for (offer, chosen) in [("speed, chat, ", ["chat"]), ("other, ", []), ("", [])] {
      let connection = try relay.gateway.connect()
      defer { connection.close() }
      try connection.send(browser("\(offer)speed.bearer.\(relay.bearer)").bytes)
      let answer = try connection.receiveHead()
      #expect(answer.status == 101)
      #expect(answer.fields.all("Sec-WebSocket-Protocol") == chosen)
    }
  }

  @Test("a second token, a bad one and one in the URL are refused, and no backend hears of it")
  func badTokens() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let good = "speed.bearer.\(relay.bearer)"
    func status(_ request: HTTPRequest) throws -> Int { try relay.gateway.exchange(request).status }
    #expect(try status(browser("\(good), \(good)")) == 400)
    #expect(try status(browser(good, [("Authorization", "Bearer \(relay.bearer)")])) == 400)
    #expect(try status(browser("speed.bearer.\(relay.bearer)x")) == 401)
    #expect(try status(browser("speed.bearer.")) == 401)
    #expect(try status(browser("speed")) == 401)
    var inURL = browser("speed")
    inURL.target = "/socket?access_token=\(relay.bearer)"
    #expect(try status(inURL) == 400)
    #expect(backend.requests.isEmpty)
  }

  @Test("a page of a foreign origin is refused, and one of the app's own passes")
  func origins() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let protocols = "speed, speed.bearer.\(relay.bearer)"
    for origin in ["https://evil.example", "null", "https://relay.localhost.evil.example", "https://relay.localhost/"] {
      let answer = try relay.gateway.exchange(browser(protocols, [("Origin", origin)]))
      #expect(answer.status == 403 && answer.errorCode == "forbidden")
    }
    #expect(backend.requests.isEmpty)
    for (origin, port) in [("https://relay.localhost", ""), ("http://relay.localhost:8080", ":8080")] {
      let connection = try relay.gateway.connect()
      defer { connection.close() }
      var request = browser(protocols, [("Origin", origin)])
      request.fields[0].value += port
      try connection.send(request.bytes)
      #expect(try connection.receiveHead().status == 101)
    }
  }

  @Test("a handshake with a body is refused, and one that is no GET is an ordinary request")
  func notHandshakes() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    #expect(try relay.exchange("GET", "/", Self.handshake, body: [1]).status == 400)
    #expect(try relay.exchange("POST", "/", Self.handshake, body: [1]).status == 200)
    #expect(backend.requests.map(\.method) == ["POST"])
    #expect(backend.requests.first?.fields["Upgrade"] == nil)
  }

  @Test("a backend that does not agree answers as to any request, and the connection goes on")
  func declined() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(426, [("Sec-WebSocket-Version", "13")], body: Array("no".utf8))
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    for _ in 0..<2 {
      let answer = try connection.exchange(relay.request("GET", "/", Self.handshake))
      #expect(answer.status == 426 && answer.text == "no")
    }
  }

  @Test("GW-53 an open WebSocket ends with 1008 within 2 s of the revocation")
  func revoked() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    try connection.send(WebSocketFrame.text("before"))
    #expect(try connection.receiveFrame() == .text("before"))
    let deadline = Deadline(seconds: 2)
    #expect(try relay.gateway.signOut(relay.bearer).status == 204)
    #expect(try connection.receiveFrame().closeCode == 1008)
    #expect(!deadline.isOver)
    #expect(connection.isClosed())
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-54 who comes back right after such an end is refused")
  func reconnect() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    #expect(try relay.gateway.signOut(relay.bearer).status == 204)
    #expect(try connection.receiveFrame().closeCode == 1008)
    #expect(try relay.exchange("GET", "/socket", Self.handshake).status == 401)
  }

  @Test("the close frame waits for the end of the frame that is on its way")
  func betweenFrames() throws {
    let gate = Gate()
    let whole = WebSocketFrame(.text, [UInt8](repeating: 0x62, count: 1000))
    let backend = try ScriptedBackend { exchange in
      try exchange.acceptWebSocket()
      let bytes = whole.bytes(mask: nil)
      try exchange.send(Array(bytes.prefix(300)))
      try gate.pass()
      try exchange.send(Array(bytes.dropFirst(300)) + WebSocketFrame.text("too late").bytes(mask: nil))
      _ = exchange.waitForClose()
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    let begun = try connection.receiveBytes(300)
    #expect(try relay.gateway.signOut(relay.bearer).status == 204)
    // The gateway looks twice a second; the rest of the frame comes after that.
    pause(milliseconds: 700)
    gate.open()
    #expect(begun + (try connection.receiveBytes(whole.bytes(mask: nil).count - 300)) == whole.bytes(mask: nil))
    var next = try connection.receiveFrame()
    // A busy machine may have looked later.
    if next == .text("too late") { next = try connection.receiveFrame() }
    #expect(next.closeCode == 1008)
    #expect(connection.isClosed())
  }

  @Test("an open WebSocket and an endless answer end when their token does")
  func expired() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.fields["Upgrade"] != nil { return try Self.echoing(exchange) }
      try exchange.startChunked([("Content-Type", "text/event-stream")])
      #expect(exchange.waitForClose())
    }
    let sandbox = try Stage.shared().sandbox
    var tenant = TenantFile(301, "brief.localhost", bundleIDs: ["com.example.brief"], ports: [backend.port])
    tenant.lines = ["sessions: { lifetime: 3s }"]
    let gateway = try GatewayProcess(GatewaySetup(keysURL: sandbox.keysURL, tenants: ["brief.yaml": tenant.yaml]))
    let bearer = try gateway.bearer(app: 301, try sandbox.token(TokenRequest(audience: "com.example.brief")))
    let (socket, stream) = (try gateway.connect(), try gateway.connect())
    var request = HTTPRequest.authorized("GET", "/", host: "brief.localhost", bearer: bearer)
    try stream.send(request.bytes)
    #expect(try stream.receiveHead().status == 200)
    request.fields += Self.handshake
    try socket.send(request.bytes)
    #expect(try socket.receiveHead().status == 101)
    #expect(try socket.receiveFrame().closeCode == 1008)
    #expect(socket.isClosed() && stream.isClosed())
  }

  @Test("GW-51 a change of another app's file cuts nothing; taking the own app out ends the WebSocket")
  func reloads() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    let other = TenantFile(202, "other.localhost", bundleIDs: [], ports: [backend.port])
    try relay.gateway.folder.write("tenants/other.yaml", other.yaml)
    #expect(
      try eventually { try relay.gateway.exchange(HTTPRequest("GET", "/", host: "other.localhost")).status == 401 })
    try connection.send(WebSocketFrame.text("still here"))
    #expect(try connection.receiveFrame() == .text("still here"))
    #expect(try CommandResult.run(["rm", relay.gateway.folder.path("tenants/relay.yaml")]).exitCode == 0)
    #expect(try connection.receiveFrame().closeCode == 1001)
    #expect(connection.isClosed())
  }

  @Test("GW-57 the backend's side is closed within a second of the client's going")
  func clientGone() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.fields["Upgrade"] != nil {
        try exchange.acceptWebSocket()
      } else {
        try exchange.startChunked()
        try exchange.sendChunk([1])
      }
      #expect(exchange.waitForClose(seconds: 1.5))
    }
    let relay = try Relay(ports: [backend.port])
    try open(relay).close()
    #expect(backend.waitForOpen(0, seconds: 1))
    let stream = try relay.gateway.connect()
    try stream.send(relay.request().bytes)
    #expect(try stream.receiveHead().status == 200)
    #expect(try stream.receiveBodyPiece() == [1])
    stream.close()
    #expect(backend.waitForOpen(0, seconds: 1))
    #expect(backend.faults.isEmpty)
  }

  @Test("GW-58 an app may let its backends finish: with onClientGone: drain the answer is taken to its end")
  func finish() throws {
    let gate = Gate()
    let isDone = Monitor<Bool?>(nil)
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      try exchange.sendChunk([1])
      try gate.pass()
      for _ in 0..<10 { try exchange.sendChunk([UInt8](repeating: 2, count: 50_000)) }
      try exchange.sendChunk([])
      isDone.change { $0 = true }
      exchange.close()
    }
    var tenant = TenantFile(303, "patient.localhost", bundleIDs: [], ports: [backend.port])
    tenant.lines = ["onClientGone: drain"]
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: ["patient.yaml": tenant.yaml]))
    let connection = try gateway.connect()
    try connection.send(HTTPRequest("GET", "/", host: "patient.localhost").bytes)
    #expect(try connection.receiveHead().status == 200)
    connection.reset()
    gate.open()
    #expect(isDone.wait { $0 } == true)
    #expect(backend.faults.isEmpty)
  }

  @Test("GW-50 what asks for an upgrade is nothing to a provider: the sign-in is an ordinary call")
  func upgradeOfSignIn() throws {
    let stage = try Stage.shared()
    let token = try stage.sandbox.token(TokenRequest(audience: App.alpha.bundleID))
    var request = HTTPRequest(
      "POST", "/api/platform/auth/apple-native", host: "api.localhost",
      json: [
        "appId": .integer(Int64(App.alpha.id)), "identityToken": .string(token.text),
        "rawNonce": .string(token.rawNonce),
      ])
    request.fields += Self.handshake
    let answer = try stage.gateway.exchange(request)
    #expect(answer.status == 200 && answer.fields["Upgrade"] == nil)
  }

  @Test("a drain asks WebSockets to go: 1001")
  func drain() throws {
    let backend = try ScriptedBackend(Self.echoing)
    let relay = try Relay(ports: [backend.port])
    let connection = try open(relay)
    defer { connection.close() }
    relay.gateway.process.signal(15)
    #expect(try connection.receiveFrame().closeCode == 1001)
    #expect(connection.isClosed())
    #expect(relay.gateway.process.waitForEnd() == .exited(0))
  }
}
