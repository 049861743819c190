import GatewayTesting
import Testing

/// Streams beside one another, their ends, and backends of HTTP/2 behind them.
@Suite("HTTP/2 streams", .onWiresOfItsOwn) struct HTTP2StreamTests {
  /// A gateway before a backend of HTTP/2.
  private func relay(_ backend: HTTP2Backend) throws -> Relay {
    try Relay(ports: [backend.port], backendLines: ["protocol: h2"])
  }

  @Test("a slow answer holds up no other stream")
  func slowStream() throws {
    let gate = Gate()
    let backend = try ScriptedBackend.echoing(holding: "/slow", until: gate)
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let slow = try session.send(relay.request("GET", "/slow"))
    for _ in 0..<20 { #expect(try session.exchange(relay.request()).status == 200) }
    gate.open()
    #expect(try session.answer(to: slow).status == 200)
  }

  @Test("bodies of many streams pass at once and arrive whole")
  func manyBodies() throws {
    let backend = try ScriptedBackend { exchange in
      let body = try exchange.readBody()
      try exchange.reply(body: body)
    }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let bodies = (0..<8).map { number in (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7 + number) } }
    let streams = try bodies.map { try session.send(relay.request("POST", "/", body: $0)) }
    for (stream, body) in zip(streams, bodies) {
      let answer = try session.answer(to: stream)
      #expect(answer.status == 200 && answer.body == body)
    }
  }

  @Test("GW-57 a stream that the client resets is given up at the backend within a second")
  func cancelled() throws {
    let isClosed = Monitor<Bool?>(nil)
    let backend = try ScriptedBackend { exchange in
      try exchange.startChunked()
      try exchange.sendChunk([1])
      let result = exchange.waitForClose(seconds: 10)
      isClosed.change { $0 = result }
    }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(relay.request())
    #expect(try session.bodyPiece(of: stream) == [1])
    try session.send(HTTP2Frame.reset(stream, HTTP2Code.cancel))
    #expect(isClosed.wait(seconds: 1.5) { $0 } == true)
  }

  @Test("an answer that its backend cuts off is reset, never ended")
  func cutOff() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(relay.request())
    #expect(throws: StreamReset.self) { try session.answer(to: stream) }
  }

  @Test("SIGTERM says GOAWAY, serves what is under way and what was on its way, and exits")
  func drain() throws {
    let gate = Gate()
    let backend = try ScriptedBackend.echoing(holding: "/slow", until: gate)
    let relay = try Relay(ports: [backend.port], sections: ["drain": "{ delay: 1s, timeout: 20s }"])
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let running = try session.send(relay.request("GET", "/slow"))
    #expect(backend.waitForRequest { $0.target == "/slow" } != nil)
    relay.gateway.process.signal(15)
    let notice = try session.wait { $0.type == HTTP2Frame.Kind.goAway }
    #expect(notice.number(at: 0) == 0x7FFF_FFFF && notice.number(at: 4) == HTTP2Code.noError)
    #expect(try session.exchange(relay.request()).status == 200)
    #expect(try session.goAwayCode() == HTTP2Code.noError)
    gate.open()
    #expect(try session.answer(to: running).status == 200)
    #expect(session.isClosed())
    #expect(relay.gateway.process.waitForEnd() == .exited(0))
  }

  @Test("a backend of HTTP/2 gets the request in its form, and its answer comes back")
  func backend() throws {
    let backend = try HTTP2Backend()
    let relay = try relay(backend)
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let answer = try session.exchange(
      relay.request("POST", "/x?y", [("x-test", "1"), ("x_speed_user_id", "9")], body: Array("hi".utf8)))
    #expect(answer.status == 200)
    let seen = try HTTPFields(
      JSON(parsing: answer.body)["fields"].items.map { ($0[0].string ?? "", $0[1].string ?? "") })
    #expect(seen[":method"] == "POST" && seen[":path"] == "/x?y" && seen[":scheme"] == "http")
    #expect(seen[":authority"] == Relay.host && seen["host"] == nil)
    #expect(seen["x-test"] == "1" && seen["x_speed_user_id"] == nil && seen["x-speed-user-id"] != "9")
    #expect(seen["connection"] == nil && seen["transfer-encoding"] == nil)
    #expect(seen.lines.allSatisfy { $0.name == $0.name.lowercased() })
    #expect(try JSON(parsing: answer.body)["body"].string == "hi")
    let streams = try (0..<20).map { _ in try session.send(relay.request()) }
    for stream in streams { #expect(try session.answer(to: stream).status == 200) }
    #expect(backend.accepted <= 2 && backend.faults == [])
  }

  @Test("a client of HTTP/1.1 is served by a backend of HTTP/2, without its trailers")
  func olderClient() throws {
    let backend = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        try connection.sendHead(request, 200, [("a", "b")])
        try connection.sendData(request, Array("hello".utf8))
        try connection.sendTrailers(request, [("grpc-status", "0")])
      }
    }
    let relay = try relay(backend)
    let answer = try relay.gateway.exchange(relay.request(), on: .plain)
    #expect(answer.status == 200 && answer.text == "hello" && answer.fields["a"] == "b")
    #expect(answer.fields["grpc-status"] == nil)
  }

  @Test("a call of gRPC gets its trailers")
  func unaryCall() throws {
    let backend = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        guard request.fields["te"] == "trailers" else { throw TestFailure("no te: trailers") }
        let message = try connection.readBody(request)
        try connection.sendHead(request, 200, [("content-type", "application/grpc")])
        try connection.sendData(request, message.reversed())
        try connection.sendTrailers(request, [("grpc-status", "0"), ("grpc-message", "fine")])
      }
    }
    let relay = try relay(backend)
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let call = relay.request(
      "POST", "/pkg.Service/Call", [("te", "trailers"), ("content-type", "application/grpc")], body: [0, 1, 2, 3])
    for _ in 0..<3 {
      let answer = try session.exchange(call)
      #expect(answer.status == 200 && answer.body == [3, 2, 1, 0])
      #expect(answer.trailers?["grpc-status"] == "0" && answer.trailers?["grpc-message"] == "fine")
    }
    #expect(backend.faults == [])
  }

  @Test("a call of gRPC that streams both ways passes each message as it comes")
  func streamingCall() throws {
    let backend = try HTTP2Backend { connection in
      let request = try connection.nextRequest()
      try connection.sendHead(request, 200, [("content-type", "application/grpc")])
      while case let piece = try connection.session.bodyPiece(of: request.stream), !piece.isEmpty {
        try connection.sendData(request, piece)
      }
      try connection.sendTrailers(request, [("grpc-status", "0")])
      while true { try connection.echo(connection.nextRequest()) }
    }
    let relay = try relay(backend)
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(
      relay.request("POST", "/pkg.Service/Chat", [("te", "trailers"), ("content-type", "application/grpc")]),
      ends: false)
    for number in UInt8(1)...10 {
      try session.sendData(stream, [number], ends: false)
      #expect(try session.bodyPiece(of: stream) == [number])
    }
    try session.sendData(stream, [], ends: true)
    #expect(try session.bodyPiece(of: stream) == [])
    #expect(session.trailers(of: stream)?["grpc-status"] == "0")
  }

  @Test("an answer of gRPC that is trailers alone passes")
  func trailersOnly() throws {
    let backend = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        try connection.sendHead(
          request, 200, [("content-type", "application/grpc"), ("grpc-status", "12")], ends: true)
      }
    }
    let relay = try relay(backend)
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let answer = try session.exchange(relay.request("POST", "/pkg.Service/No", [("te", "trailers")], body: [0]))
    #expect(answer.status == 200 && answer.body == [] && answer.fields["grpc-status"] == "12")
  }

  @Test("a request that the backend refused with REFUSED_STREAM or GOAWAY is sent again, and a reset one is 502")
  func refusedByBackend() throws {
    let refused = Monitor(0)
    let backend = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        switch request.fields[":path"] {
        case "/once"
        where refused.change({
          $0 += 1; return $0
        }) == 1:
          try connection.session.send(HTTP2Frame.reset(request.stream, HTTP2Code.refused))
        case "/away"
        where refused.change({
          $0 += 1; return $0
        }) == 3:
          try connection.session.send(HTTP2Frame.goAway(lastStream: max(0, request.stream - 2), HTTP2Code.noError))
        case "/broken": try connection.session.send(HTTP2Frame.reset(request.stream, HTTP2Code.internalError))
        default: try connection.echo(request)
        }
      }
    }
    let relay = try relay(backend)
    #expect(try relay.exchange("GET", "/once").status == 200)
    #expect(try relay.exchange("GET", "/away").status == 200)
    #expect(try relay.exchange("GET", "/broken").status == 502)
    #expect(try relay.exchange().status == 200)
  }

  @Test("a client that goes resets the stream at its backend and not the connection")
  func cancelledAtHTTP2Backend() throws {
    let backend = try HTTP2Backend { connection in
      let request = try connection.nextRequest()
      try connection.sendHead(request)
      try connection.sendData(request, [1])
      try connection.waitForReset(of: request)
      while true { try connection.echo(connection.nextRequest()) }
    }
    let relay = try relay(backend)
    let session = try relay.gateway.connectHTTP2()
    defer { session.close() }
    let stream = try session.send(relay.request())
    #expect(try session.bodyPiece(of: stream) == [1])
    try session.send(HTTP2Frame.reset(stream, HTTP2Code.cancel))
    #expect(backend.waitForReset(seconds: 2) == HTTP2Code.cancel)
    #expect(try session.exchange(relay.request()).status == 200)
    #expect(backend.accepted == 1)
  }

  @Test("an answer of a backend that is no message of HTTP/2 is 502")
  func malformedAnswer() throws {
    let backend = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        switch request.fields[":path"] {
        case "/upper": try connection.sendHead(request, 200, [("A", "b")], ends: true)
        case "/line": try connection.sendHead(request, 200, [("a", "b\r\nc: d")], ends: true)
        case "/connection": try connection.sendHead(request, 200, [("connection", "close")], ends: true)
        default: try connection.sendHead(request, 101, [], ends: false)
        }
      }
    }
    let relay = try relay(backend)
    for path in ["/upper", "/line", "/connection", "/switch"] {
      #expect(try relay.exchange("GET", path).status == 502, "\(path)")
    }
  }
}
