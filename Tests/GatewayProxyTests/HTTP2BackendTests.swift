import GatewayBase
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Connections to backends of HTTP/2: shared from the first request on, followed where their name moves, given up.
@Suite(.serialized) struct HTTP2BackendTests {
  /// Requests that the loop finds all at once, as it is held until they are there.
  private func answersAtOnce(_ count: Int, _ configure: (inout ProxyFixture.Options) -> Void) throws -> (
    proxy: ProxyFixture, statuses: [Int]
  ) {
    let (held, release) = (Gate(), Gate())
    let service = ScriptedService { _ in
      held.open()
      try? release.pass()
      return ServiceResponse(204)
    }
    let proxy = try ProxyFixture([]) {
      ($0.speaksHTTP2, $0.service) = (true, service)
      configure(&$0)
    }
    let holding = try proxy.connect()
    let connections = try (0..<count).map { _ in try proxy.connect() }
    try holding.send(HTTPRequest("GET", "/", host: "api.test").bytes)
    try held.pass()
    for connection in connections { try connection.send(HTTPRequest.get().bytes) }
    release.open()
    return (proxy, try connections.map { try $0.receiveAnswer().status })
  }

  @Test("Requests that come while the first connection is made wait for it, and share it")
  func sharedAttempt() throws {
    let backend = try HTTP2Backend()
    let (proxy, statuses) = try answersAtOnce(20) { $0.servers = [("127.0.0.1", backend.port)] }
    #expect(statuses == Array(repeating: 200, count: 20))
    #expect(backend.accepted == 1 && proxy.count { $0.upstreamConnections.value } == 1)
  }

  @Test("Those for whom the connection has no room make another one, again one for all")
  func fullConnection() throws {
    let backend = try HTTP2Backend()
    let (proxy, statuses) = try answersAtOnce(150) { $0.servers = [("127.0.0.1", backend.port)] }
    #expect(statuses == Array(repeating: 200, count: 150))
    #expect(proxy.count { $0.upstreamConnections.value } <= 3)
  }

  @Test("Where the server can't be reached, those that wait go on to the next with the one that tried")
  func failedAttempt() throws {
    let dead = try ScriptedBackend()
    dead.stop()
    let backend = try HTTP2Backend()
    let (proxy, statuses) = try answersAtOnce(10) {
      $0.servers = [("127.0.0.1", dead.port), ("127.0.0.1", backend.port)]
      $0.rules.ejectionFailures = 0
    }
    #expect(statuses == Array(repeating: 200, count: 10))
    #expect(backend.accepted == 1 && proxy.count { $0.upstreamConnections.value } == 2)
  }

  @Test("Nobody waits longer than for a connection of his own")
  func boundedWait() throws {
    let hole = try BlackHole()
    let start = MonotonicClock.nanoseconds
    let (proxy, statuses) = try answersAtOnce(5) {
      $0.servers = [("127.0.0.1", hole.address.port)]
      $0.timeouts.connect = 300
    }
    #expect(statuses == Array(repeating: 502, count: 5))
    #expect(proxy.count { $0.upstreamConnections.value } == 1)
    #expect(MonotonicClock.nanoseconds - start < 5_000_000_000)
  }

  @Test("Where the client goes for whom the connection is made, one of those that wait makes it")
  func abandonedAttempt() async throws {
    let hole = try BlackHole()
    let proxy = try ProxyFixture([]) {
      $0.speaksHTTP2 = true
      $0.servers = [("127.0.0.1", hole.address.port)]
      $0.timeouts.connect = 60_000
    }
    let first = try proxy.connect()
    try first.send(HTTPRequest.get().bytes)
    #expect(eventually { proxy.count { $0.upstreamConnections.value } == 1 })
    let others = try (0..<3).map { _ in try proxy.connect() }
    for connection in others { try connection.send(HTTPRequest.get().bytes) }
    while await proxy.workers.holdings().exchanges < 4 { await Task.yield() }
    #expect(proxy.count { $0.upstreamConnections.value } == 1)
    first.reset()
    #expect(eventually { proxy.count { $0.upstreamConnections.value } == 2 })
    for connection in others { connection.reset() }
    #expect(eventually { proxy.count { $0.connections.value &- $0.connectionsClosed.value } == 0 })
    let holdings = await proxy.workers.holdings()
    #expect(holdings.upstreams == 0 && holdings.exchanges == 0 && holdings.http2Attempts == 0)
  }

  @Test("GW-75 a name that has moved is followed; the connection to its old address ends with its streams")
  func movedName() throws {
    let isSlow = Gate()
    let old = try HTTP2Backend { connection in
      let slow = try connection.nextRequest()
      isSlow.open()
      try connection.echo(connection.nextRequest())
      _ = try connection.session.wait { $0.type == HTTP2Frame.Kind.goAway }
      try connection.echo(slow)
      while true { try connection.echo(connection.nextRequest()) }
    }
    let new = try HTTP2Backend()
    let record = Locked(SocketAddress.loopback(port: old.port))
    let proxy = try ProxyFixture([]) {
      $0.speaksHTTP2 = true
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in [record.withLock { $0 }] }
    }
    let place = try #require(proxy.backend?.servers[0].place)
    let slow = try proxy.connect()
    try slow.send(HTTPRequest.get("/slow").bytes)
    try isSlow.pass()
    record.withLock { $0 = SocketAddress.loopback(port: new.port) }
    // A look-up that failed long ago: the next one is due, while the address that was found last serves.
    place.resolved([], now: 0)
    #expect(try proxy.exchange(.get()).status == 200)
    #expect(new.accepted == 0 && eventually { place.moveCount == 1 })
    #expect(try proxy.exchange(.get()).status == 200)
    #expect(new.accepted == 1)
    #expect(try slow.receiveAnswer().status == 200)
    #expect(old.waitForOpen(0) && old.accepted == 1 && old.faults == [])
  }

  @Test("A connection that ends leaves nothing in its pool")
  func endedConnections() async throws {
    let backend = try HTTP2Backend { try $0.echo($0.nextRequest()) }
    let proxy = try ProxyFixture([]) {
      $0.speaksHTTP2 = true
      $0.servers = [("127.0.0.1", backend.port)]
    }
    for _ in 0..<5 {
      #expect(try proxy.exchange(.get()).status == 200)
      #expect(backend.waitForOpen(0))
      while await proxy.workers.holdings().http2Pooled > 0 { await Task.yield() }
    }
    #expect(backend.accepted == 5)
  }

  @Test("A backend that resets streams in the middle of their answers is ejected")
  func brokenOff() throws {
    let failing = try HTTP2Backend { connection in
      while true {
        let request = try connection.nextRequest()
        try connection.sendHead(request)
        try connection.sendData(request, [1])
        try connection.session.send(HTTP2Frame.reset(request.stream, HTTP2Code.internalError))
      }
    }
    let good = try HTTP2Backend()
    let proxy = try ProxyFixture([]) {
      $0.speaksHTTP2 = true
      $0.servers = [("127.0.0.1", failing.port), ("127.0.0.1", good.port)]
      $0.rules.ejectionFailures = 3
    }
    var broken = 0
    for _ in 0..<20 {
      let connection = try proxy.connect()
      try connection.send(HTTPRequest.get().bytes)
      if (try? connection.receiveAnswer()) == nil { broken += 1 }
      connection.close()
    }
    #expect(broken == 3 && proxy.backend?.servers[0].ejections == 1)
  }
}
