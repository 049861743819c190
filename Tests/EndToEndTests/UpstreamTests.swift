import GatewayTesting
import Testing

/// A gateway with one app whose backend a test scripts.
struct Relay {
  let gateway: GatewayProcess
  let bearer: String
  static let host = "relay.localhost"

  /// - Parameters:
  ///   - ports: of the backend's servers.
  ///   - backendLines: lines below the backend in the tenant file.
  init(
    ports: [UInt16], backendLines: [String] = [], sections: [String: String] = [:], maxBody: String = "100MiB"
  ) throws {
    let sandbox = try Stage.shared().sandbox
    var tenant = TenantFile(201, Self.host, bundleIDs: ["com.example.relay"], ports: ports)
    tenant.backendLines = backendLines
    tenant.routes = ["{ path: /, backend: main, maxBody: \(maxBody) }"]
    gateway = try GatewayProcess(
      GatewaySetup(keysURL: sandbox.keysURL, tenants: ["relay.yaml": tenant.yaml], sections: sections))
    bearer = try gateway.bearer(app: 201, try sandbox.token(TokenRequest(audience: "com.example.relay")))
  }

  func request(
    _ method: String = "GET", _ target: String = "/", _ fields: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) -> HTTPRequest {
    var request = HTTPRequest.authorized(method, target, host: Self.host, bearer: bearer, body: body)
    request.fields += fields
    return request
  }

  func exchange(
    _ method: String = "GET", _ target: String = "/", _ fields: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) throws -> HTTPAnswer {
    try gateway.exchange(request(method, target, fields, body: body))
  }
}

/// Rows of faults under "Upstream connections", early answers, and the contract's retry rule.
@Suite("Upstream", .onEveryWire) struct UpstreamTests {
  @Test("one upstream connection serves one request after another")
  func reuse() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    for _ in 0..<10 { #expect(try connection.exchange(relay.request()).status == 200) }
    #expect(backend.accepted == 1)
    #expect(backend.requests.map(\.position) == Array(0..<10))
  }

  @Test("a backend's Connection: close is obeyed and does not reach the client")
  func backendCloses() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(200, [("Connection", "close, X-Hop"), ("X-Hop", "1"), ("X-Stays", "1")], body: [1])
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    for _ in 0..<3 {
      let answer = try connection.exchange(relay.request())
      #expect(answer.status == 200)
      #expect(answer.fields["Connection"] != "close")
      #expect(answer.fields["X-Hop"] == nil && answer.fields["X-Stays"] == "1")
    }
    #expect(backend.accepted == 3)
  }

  @Test("GW-70 a request on an idle connection that the backend closed is sent once more on a fresh one")
  func idleClosed() throws {
    // Every connection ends, without notice, when its second request arrives.
    let backend = try ScriptedBackend { exchange in
      if exchange.request.position == 1 { exchange.reset() } else { try exchange.echo() }
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["retries: 1"])
    // One client connection, so that both requests meet the same pool.
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    #expect(try connection.exchange(relay.request("GET", "/1")).status == 200)
    #expect(try connection.exchange(relay.request("GET", "/2")).status == 200)
    #expect(backend.requests.map(\.target) == ["/1", "/2", "/2"])
    #expect(backend.requests.map(\.connection) == [0, 0, 1])
  }

  @Test("GW-70 an idle connection that the backend has closed before is not used at all, for any method")
  func knownClosed() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.echo()
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    for index in 0..<5 {
      #expect(try relay.exchange("POST", "/\(index)", body: [97]).status == 200)
      #expect(backend.waitForOpen(0))
    }
    #expect(backend.requests.count == 5)
  }

  @Test("GW-71 a POST is never sent twice once a byte of it was written")
  func postOnce() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.position == 0, exchange.request.connection == 0 { return try exchange.echo() }
      _ = try exchange.readBody()
      exchange.reset()
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["retries: 1"])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    #expect(try connection.exchange(relay.request("GET", "/warm")).status == 200)
    let answer = try connection.exchange(relay.request("POST", "/pay", body: Array("amount=1".utf8)))
    #expect(answer.status == 502)
    #expect(answer.errorCode == "backend_unavailable")
    #expect(backend.requests.filter { $0.target == "/pay" }.count == 1)
  }

  @Test("a GET whose connection dies before an answer is retried once and no more")
  func oneRetry() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/warm" { return try exchange.echo() }
      exchange.reset()
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["retries: 1"])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    #expect(try connection.exchange(relay.request("GET", "/warm")).status == 200)
    #expect(try connection.exchange(relay.request("GET", "/x")).status == 502)
    #expect(backend.requests.filter { $0.target == "/x" }.count == 2)
  }

  @Test("an answer whose first bytes are malformed is a 502, not a silent end")
  func malformedBody() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhello")
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    let answer = try relay.exchange("GET", "/x")
    #expect(answer.status == 502)
    #expect(answer.errorCode == "backend_unavailable")
  }

  @Test("an answer that has begun is never begun again: the client sees it cut", .aboutHTTP1)
  func cutAnswer() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
      exchange.reset()
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["retries: 1"])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    try connection.send(relay.request().bytes)
    let answers = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
    #expect(answers.ranges(of: "HTTP/1.1 ").count == 1)
    #expect(backend.requests.count == 1)
  }

  @Test("nobody listening is 502 backend_unavailable")
  func unreachable() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    backend.stop()
    let answer = try relay.exchange()
    #expect(answer.status == 502)
    #expect(answer.errorCode == "backend_unavailable")
    // The gateway's connection is as good as before.
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    for _ in 0..<3 { #expect(try connection.exchange(relay.request()).status == 502) }
  }

  @Test("an unreachable server among several is passed over, for any method")
  func oneOfTwo() throws {
    let dead = try ScriptedBackend()
    let live = try ScriptedBackend()
    let relay = try Relay(ports: [dead.port, live.port])
    dead.stop()
    for index in 0..<6 { #expect(try relay.exchange("POST", "/\(index)", body: [97]).status == 200) }
    #expect(live.requests.count == 6)
  }

  @Test("servers take turns")
  func roundRobin() throws {
    let servers = try [ScriptedBackend(), ScriptedBackend()]
    let relay = try Relay(ports: servers.map(\.port), backendLines: ["policy: roundRobin"])
    for _ in 0..<40 { #expect(try relay.exchange().status == 200) }
    #expect(servers.allSatisfy { $0.requests.count >= 5 })
  }

  @Test("no answer in time is 504 backend_timeout, and the upstream connection goes")
  func timeout() throws {
    let backend = try ScriptedBackend { exchange in
      _ = try exchange.readBody()
      #expect(exchange.waitForClose())
    }
    let relay = try Relay(ports: [backend.port], backendLines: ["timeouts: { response: 300ms }"])
    let answer = try relay.exchange()
    #expect(answer.status == 504)
    #expect(answer.errorCode == "backend_timeout")
    #expect(backend.waitForOpen(0))
  }

  @Test("GW-77 a backend's redirect goes to the client untouched and is not followed")
  func redirect() throws {
    let other = try ScriptedBackend()
    let location = "http://127.0.0.1:\(other.port)/latest/meta-data"
    let backend = try ScriptedBackend { try $0.reply(302, [("Location", location)]) }
    let relay = try Relay(ports: [backend.port])
    let answer = try relay.exchange()
    #expect(answer.status == 302)
    #expect(answer.fields["Location"] == location)
    #expect(other.accepted == 0)
  }

  @Test(
    "what is no answer of HTTP/1.1 is 502, and never reaches the client",
    arguments: [
      "garbage\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A : b\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: a\u{0}b\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A: b", "",
    ])
  func badAnswer(text: String) throws {
    let backend = try ScriptedBackend { exchange in
      _ = try exchange.readBody()
      try exchange.send(text)
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    let answer = try relay.exchange("POST", "/", body: [97])
    #expect(answer.status == 502)
    #expect(answer.errorCode == "backend_unavailable")
  }

  @Test("a backend's X-Speed fields and framing stay here; its own fields pass")
  func answerFields() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(
        200,
        [
          ("X-Speed-Usage", "5"), ("X-Speed-User-Id", "1"), ("Keep-Alive", "timeout=5"), ("Set-Cookie", "a=1"),
          ("Set-Cookie", "b=2"), ("ETag", "\"x\""),
        ], body: Array("ok".utf8))
    }
    let relay = try Relay(ports: [backend.port])
    let answer = try relay.exchange()
    #expect(answer.text == "ok")
    #expect(answer.fields["X-Speed-Usage"] == nil)
    #expect(answer.fields["X-Speed-User-Id"] == nil)
    #expect(answer.fields["Keep-Alive"] == nil)
    #expect(answer.fields.all("Set-Cookie") == ["a=1", "b=2"])
    #expect(answer.fields["ETag"] == "\"x\"")
  }

  @Test("answers without a body keep the connection in step: HEAD, 204, 304, and interim answers before")
  func bodiless() throws {
    let backend = try ScriptedBackend { exchange in
      switch exchange.request.target {
      case "/204": try exchange.reply(204)
      case "/304": try exchange.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n")
      case "/103":
        try exchange.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        try exchange.echo()
      default: try exchange.reply(200, [], body: Array("0123456789".utf8))
      }
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    let head = try connection.exchange(relay.request("HEAD", "/"))
    #expect(head.status == 200 && head.fields["Content-Length"] == "10")
    #expect(try connection.exchange(relay.request("GET", "/204")).status == 204)
    #expect(try connection.exchange(relay.request("GET", "/304")).status == 304)
    #expect(try connection.exchange(relay.request("GET", "/103")).status == 200)
    #expect(try connection.exchange(relay.request("GET", "/")).text == "0123456789")
  }

  @Test("a body that ends with the upstream connection reaches the client whole")
  func untilClose() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\npart one, part two")
      exchange.close()
    }
    let relay = try Relay(ports: [backend.port])
    #expect(try relay.exchange().text == "part one, part two")
  }

  @Test("GW-62 a backend's early answer is relayed while the body is still on its way")
  func earlyAnswer() throws {
    let backend = try ScriptedBackend { exchange in
      try exchange.reply(401, [("Connection", "close")], body: Array("no".utf8))
      #expect(exchange.waitForClose())
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    var request = relay.request("POST", "/upload")
    request.fields.append(("Content-Length", "1000000"))
    try connection.send(request.bytes)
    try connection.send([UInt8](repeating: 97, count: 1000))
    let answer = try connection.receiveAnswer()
    #expect(answer.status == 401 && answer.text == "no")
  }

  @Test("GW-63 a backend's 413 in the middle of a large body is no 502")
  func earlyRefusal() throws {
    let backend = try ScriptedBackend { exchange in
      _ = try exchange.readBodyPiece()
      try exchange.reply(413, [("Connection", "close")])
      _ = exchange.waitForClose()
    }
    let relay = try Relay(ports: [backend.port])
    let connection = try relay.gateway.connect()
    defer { connection.close() }
    var request = relay.request("POST", "/upload")
    request.fields.append(("Content-Length", "\(20 << 20)"))
    try connection.send(request.bytes)
    connection.sendIfPossible([UInt8](repeating: 97, count: 1 << 20))
    #expect(try connection.receiveAnswer().status == 413)
  }

  @Test("GW-59 two hundred uploads at once all arrive whole")
  func parallelUploads() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    let counts = try Parallel.run(200) { index in
      let body = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 20_000 + index)
      return try relay.exchange("POST", "/\(index)", body: body).json()["bodyBytes"].integer
    }
    #expect(counts == (0..<200).map { Int64(20_000 + $0) })
  }

  @Test("apps that have one server take turns on a connection to it, and each request tells whose it is")
  func sharedPool() throws {
    let backend = try ScriptedBackend()
    let tenants = (211...212).map { id in
      var tenant = TenantFile(id, "app\(id).localhost", bundleIDs: [], ports: [backend.port])
      tenant.routes = ["{ path: /, backend: main, auth: none }"]
      return ("\(id).yaml", tenant.yaml)
    }
    let gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: "http://127.0.0.1:9/", tenants: Dictionary(uniqueKeysWithValues: tenants), sections: ["loops": "1"]))
    for id in [211, 212, 211] {
      #expect(try gateway.exchange(HTTPRequest("GET", "/", host: "app\(id).localhost")).status == 200)
    }
    #expect(backend.requests.map { $0.fields["X-Speed-App-Id"] } == ["211", "212", "211"])
    #expect(Set(backend.requests.map(\.connection)).count == 1)
  }
}
