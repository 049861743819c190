import GatewayBase
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Connections to backends: made, kept, retried, given up.
@Suite(.serialized) struct UpstreamLifeTests {
  @Test("GW-70 a request on a connection that the backend closes is sent again, once, on a fresh one")
  func retry() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.position == 1 { return exchange.reset() }
      try exchange.echo()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    #expect(try connection.exchange(.get("/1")).status == 200)
    let answer = try connection.exchange(HTTPRequest("PUT", "/2", host: "app.test", body: Array("again".utf8)))
    #expect(try answer.json()["body"].string == "again")
    #expect(backend.requests.map(\.target) == ["/1", "/2", "/2"])
    #expect(proxy.count { $0.retries.value } == 1)
  }

  @Test("GW-71 a POST of which a byte was sent is never sent again")
  func noRetryOfPost() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.position == 1 { return exchange.reset() }
      try exchange.echo()
    }
    let proxy = try ProxyFixture([backend])
    let connection = try proxy.connect()
    #expect(try connection.exchange(.post("/1")).status == 200)
    #expect(try connection.exchange(.post("/2")).errorCode == "backend_unavailable")
    #expect(backend.requests.count == 2)
  }

  @Test("A fresh connection that dies is no reason to send again")
  func noRetryOnFresh() throws {
    let backend = try ScriptedBackend { $0.reset() }
    let proxy = try ProxyFixture([backend])
    #expect(try proxy.exchange(.get()).errorCode == "backend_unavailable")
    #expect(backend.requests.count == 1)
  }

  @Test("A server that can't be reached is passed over, for any method")
  func fallOver() throws {
    let (dead, alive) = (try ScriptedBackend(), try ScriptedBackend())
    dead.stop()
    let proxy = try ProxyFixture([dead, alive])
    for _ in 0..<4 { #expect(try proxy.exchange(.post()).status == 200) }
    #expect(alive.requests.count == 4)
  }

  @Test("With no server that can be reached the answer is 502, and the client's connection goes on")
  func noneReachable() throws {
    let dead = try ScriptedBackend()
    dead.stop()
    let proxy = try ProxyFixture([dead])
    let connection = try proxy.connect()
    for _ in 0..<3 { #expect(try connection.exchange(.get()).errorCode == "backend_unavailable") }
  }

  @Test("A name that can't be resolved costs its server the turn")
  func unknownName() throws {
    let alive = try ScriptedBackend()
    let proxy = try ProxyFixture([alive]) { $0.servers = [("no such name", 80)] }
    for _ in 0..<4 { #expect(try proxy.exchange(.get()).status == 200) }
    let alone = try ProxyFixture([]) { $0.servers = [("no such name", 80)] }
    #expect(try alone.exchange(.get()).errorCode == "backend_unavailable")
  }

  @Test("A server is found by its name, one address after the other")
  func byName() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([]) { $0.servers = [("localhost", backend.port)] }
    let statuses = try Parallel.run(6) { [port = proxy.port] _ in
      try LoopbackConnection.exchange(port: port, .get()).status
    }
    #expect(statuses == Array(repeating: 200, count: 6))
  }

  @Test("A connection goes on serving one request after another")
  func reuse() throws {
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend])
    for _ in 0..<5 { #expect(try proxy.exchange(.post()).status == 200) }
    #expect(backend.accepted == 1)
  }

  @Test("A backend's limit for idle connections is kept", arguments: ["timeout=1", "timeout=0"])
  func idleLimit(value: String) throws {
    let backend = try ScriptedBackend { try $0.reply(200, [("Keep-Alive", value)]) }
    let proxy = try ProxyFixture([backend])
    #expect(try proxy.exchange(.get()).status == 200)
    let start = MonotonicClock.nanoseconds
    #expect(backend.waitForOpen(0))
    #expect(MonotonicClock.nanoseconds - start < 1_000_000_000)
  }

  @Test("A connection that a backend says it closes is not used again")
  func closed() throws {
    let backend = try ScriptedBackend { try $0.reply(200, [("Connection", "close")]) }
    let proxy = try ProxyFixture([backend])
    for _ in 0..<3 { #expect(try proxy.exchange(.get()).status == 200) }
    #expect(backend.accepted == 3)
  }

  @Test("Bytes behind an answer are never the answer to the next request", arguments: [100, 65_536, 300_000])
  func answerInAdvance(count: Int) throws {
    let (held, release) = (Gate(), Gate())
    let service = ScriptedService { _ in
      held.open()
      try? release.pass()
      return ServiceResponse(204)
    }
    let sent = Gate()
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/2" { return try exchange.reply(body: Array("honest".utf8)) }
      // The loop is held, so that it finds all of this at once.
      try held.pass()
      let head = "HTTP/1.1 200 OK\r\nContent-Length: 000000\r\n\r\n"
      let body = max(0, count - head.utf8.count)
      let digits = "\(1_000_000 + body)".dropFirst()
      try exchange.send(
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(digits)\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: body)
          + Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged".utf8))
      sent.open()
    }
    let proxy = try ProxyFixture([backend]) { $0.service = service }
    let first = try proxy.connect()
    try first.send(HTTPRequest.get("/1").bytes)
    #expect(backend.waitForRequest() != nil)
    let holding = try proxy.connect()
    try holding.send(HTTPRequest("GET", "/", host: "api.test").bytes)
    try sent.pass()
    release.open()
    #expect(try first.receiveAnswer().status == 200)
    #expect(try proxy.exchange(.get("/2")).text == "honest")
    #expect(try holding.receiveAnswer().status == 204)
  }

  @Test("An answer that is there before the connection was even noticed is read")
  func answerBeforeRequest() throws {
    let (held, release, sent) = (Gate(), Gate(), Gate())
    let service = ScriptedService { request in
      held.open()
      try? release.pass()
      return ServiceResponse(204)
    }
    let backend = try HastyBackend(answer: "HTTP/1.1 503 X\r\nContent-Length: 4\r\n\r\nbusy") { sent.open() }
    let proxy = try ProxyFixture([]) {
      $0.service = service
      $0.servers = [("127.0.0.1", backend.port)]
      $0.timeouts.response = 3_000
    }
    let (holding, connection) = (try proxy.connect(), try proxy.connect())
    // Both in one segment each, so that the loop connects and is held in the same turn.
    try connection.send(HTTPRequest.get().bytes)
    try holding.send(HTTPRequest("GET", "/", host: "api.test").bytes)
    try held.pass()
    try sent.pass()
    release.open()
    #expect(try connection.receiveAnswer().text == "busy")
  }

  @Test("Many exchanges leave no connection, record or block behind")
  func nothingIsLeft() async throws {
    let backend = try ScriptedBackend { exchange in
      switch exchange.request.target {
      case "/reset": exchange.reset()
      case "/stop":
        try exchange.startChunked()
        try exchange.sendChunk(Array("begun".utf8))
        exchange.reset()
      default: try exchange.echo()
      }
    }
    let proxy = try ProxyFixture([backend])
    _ = try Parallel.run(8) { [port = proxy.port] index in
      for round in 0..<40 {
        let connection = try LoopbackConnection(port: port)
        let targets = ["/", "/reset", "/stop", "/private/"]
        let target = targets[(index + round) % targets.count]
        try connection.send(HTTPRequest.post(target, body: Sample.bytes(round * 3_000)).bytes)
        switch round % 3 {
        case 0: connection.reset()
        case 1: connection.close()
        default:
          _ = try connection.receiveToEndOfExchange()
          connection.close()
        }
      }
    }
    // Those that clients closed at once may still wait to be accepted.
    #expect(eventually { proxy.count { $0.connectionsClosed.value } == 8 * 40 })
    let holdings = await proxy.workers.holdings()
    #expect(holdings.clients == 0)
    #expect(holdings.exchanges == 0)
    #expect(holdings.blocks == 0)
    #expect(holdings.idleUpstreams == holdings.upstreams)
    #expect(backend.waitForOpen(holdings.upstreams))
    #expect(proxy.backend?.load.requestsUnderWay == 0)
    #expect(proxy.backend?.servers[0].requestsUnderWay == 0)
  }
}

extension LoopbackConnection {
  /// Reads one answer, or what there is of it.
  fileprivate func receiveToEndOfExchange() throws -> HTTPAnswer? {
    do {
      return try receiveAnswer()
    } catch {
      return nil
    }
  }
}

/// Answers each connection when it is accepted, before it has read anything.
private final class HastyBackend: Sendable {
  let port: UInt16
  private let listener: Int32

  init(answer: String, _ afterwards: @escaping @Sendable () -> Void) throws {
    listener = try Socket.listen(on: SocketAddress(host: .v4(0x7F00_0001), port: 0), sharesPort: true)
    port = Socket.localAddress(of: listener)?.port ?? 0
    let listener = listener
    Thread.start(name: "test-hasty") {
      let connection = eventuallyAccept(listener)
      _ = Socket.send(connection, Array(answer.utf8).span)
      afterwards()
    }
  }

  deinit { Socket.close(listener) }
}

private func eventuallyAccept(_ listener: Int32) -> Int32 {
  var accepted: Int32 = -1
  _ = eventually {
    if case .connection(let descriptor, _) = Socket.accept(from: listener) { accepted = descriptor }
    return accepted >= 0
  }
  return accepted
}
