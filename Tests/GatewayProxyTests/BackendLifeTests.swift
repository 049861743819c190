import GatewayBase
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// Servers that fail, come back, are full or slow to connect, in front of real sockets.
@Suite(.serialized) struct BackendLifeTests {
  private static func rules(ejectionFailures: Int, ejection: UInt64 = 60_000) -> HealthRules {
    var rules = HealthRules()
    (rules.ejectionFailures, rules.ejection, rules.slowStart) = (ejectionFailures, ejection, 0)
    return rules
  }

  @Test("A server that can't be reached is asked a few times and then passed over")
  func ejected() throws {
    let (dead, alive) = (try ScriptedBackend(), try ScriptedBackend())
    dead.stop()
    let proxy = try ProxyFixture([dead, alive]) { $0.rules = Self.rules(ejectionFailures: 2) }
    for _ in 0..<20 { #expect(try proxy.exchange(.post()).status == 200) }
    #expect(proxy.backend?.servers[0].ejections == 1)
    #expect(proxy.count { $0.upstreamConnections.value } == 3)
  }

  @Test(
    "A gateway's errors eject a server, an application's do not",
    arguments: [(502, true), (503, true), (504, true), (500, false), (429, false)])
  func errors(status: Int, isEjected: Bool) throws {
    let failing = try ScriptedBackend { try $0.reply(status) }
    let good = try ScriptedBackend()
    let proxy = try ProxyFixture([failing, good]) { $0.rules = Self.rules(ejectionFailures: 3) }
    for _ in 0..<20 { _ = try proxy.exchange(.get()) }
    #expect(failing.requests.count == (isEjected ? 3 : 10))
    #expect(good.requests.count == (isEjected ? 17 : 10))
  }

  @Test("A server that resets or does not answer in time is ejected too", arguments: [true, false])
  func silent(resets: Bool) throws {
    let failing = try ScriptedBackend { exchange in
      if resets { exchange.reset() } else { _ = exchange.waitForClose() }
    }
    let good = try ScriptedBackend()
    let proxy = try ProxyFixture([failing, good]) {
      $0.rules = Self.rules(ejectionFailures: 2)
      $0.timeouts.response = 100
    }
    let statuses = try (0..<10).map { _ in try proxy.exchange(.get()).status }
    #expect(statuses.count { $0 == (resets ? 502 : 504) } == 2)
    #expect(failing.requests.count == 2)
  }

  @Test(
    "A server whose answers break off is ejected, however well they begin",
    arguments: ["Content-Length: 9\r\n\r\n1234", "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n", "X: 1\r\n\r\n1234"])
  func brokenOff(answer: String) throws {
    let isOpenEnded = answer.hasPrefix("X")
    let failing = try ScriptedBackend { exchange in
      try exchange.send("HTTP/1.1 200 OK\r\n\(answer)")
      if isOpenEnded { exchange.reset() } else { exchange.close() }
    }
    let good = try ScriptedBackend()
    let proxy = try ProxyFixture([failing, good]) { $0.rules = Self.rules(ejectionFailures: 3) }
    for _ in 0..<20 {
      let connection = try proxy.connect()
      try connection.send(HTTPRequest.get().bytes)
      _ = try? connection.receiveAnswer()
      connection.close()
    }
    #expect(failing.requests.count == 3 && good.requests.count == 17)
  }

  @Test("A client that goes in the middle of an answer says nothing about the server")
  func clientGone() throws {
    let backends = try (0..<2).map { _ in
      try ScriptedBackend { exchange in
        try exchange.startChunked()
        try exchange.sendChunk([1])
        _ = exchange.waitForClose()
      }
    }
    let proxy = try ProxyFixture(backends) { $0.rules = Self.rules(ejectionFailures: 1) }
    for _ in 0..<6 {
      let connection = try proxy.connect()
      try connection.send(HTTPRequest.get().bytes)
      #expect(try connection.receiveHead().status == 200)
      connection.reset()
    }
    #expect(eventually { proxy.count { $0.connections.value &- $0.connectionsClosed.value } == 0 })
    #expect(backends.map(\.requests.count) == [3, 3])
    #expect(proxy.backend?.servers.map(\.ejections) == [0, 0])
  }

  @Test("An ejected server is found again by a request that nobody else can take, and is in service from then on")
  func foundAgain() throws {
    let first = try ScriptedBackend()
    let second = try ScriptedBackend()
    first.stop()
    let proxy = try ProxyFixture([first, second]) { $0.rules = Self.rules(ejectionFailures: 1) }
    for _ in 0..<4 { #expect(try proxy.exchange(.get()).status == 200) }
    #expect(proxy.backend?.servers[0].isInService(now: 0) == false)
    let revived = try ScriptedBackend(port: first.port)
    second.kill()
    #expect(second.waitForOpen(0))
    #expect(try proxy.exchange(.get()).status == 200)
    #expect(revived.requests.count == 1)
    let now = MonotonicClock.nanoseconds / 1_000_000
    #expect(proxy.backend?.servers[0].isInService(now: now) == true)
  }

  @Test("An ejection ends by itself")
  func readmitted() throws {
    let first = try ScriptedBackend()
    let second = try ScriptedBackend()
    first.stop()
    let proxy = try ProxyFixture([first, second]) { $0.rules = Self.rules(ejectionFailures: 1, ejection: 200) }
    for _ in 0..<4 { #expect(try proxy.exchange(.get()).status == 200) }
    #expect(proxy.backend?.servers[0].ejections == 1)
    let revived = try ScriptedBackend(port: first.port)
    var statuses: Set<Int> = []
    let isBack = try eventually {
      statuses.insert(try proxy.exchange(.get()).status)
      return !revived.requests.isEmpty
    }
    #expect(isBack && statuses == [200])
  }

  @Test("GW-74 with all servers down the answer is 503 with Retry-After at once, and nobody is asked")
  func allDown() throws {
    let backends = try [ScriptedBackend(), ScriptedBackend()]
    let proxy = try ProxyFixture(backends) { $0.rules.isChecked = true }
    let backend = try #require(proxy.backend)
    let site = HealthSite(app: 7, logger: Logger(level: .error))
    for server in backend.servers { backend.checked(server, fault: "gone", now: 0, site) }
    let connection = try proxy.connect()
    for _ in 0..<3 {
      let answer = try connection.exchange(.get())
      #expect(answer.status == 503 && answer.errorCode == "backend_unavailable")
      #expect(answer.fields["Retry-After"] == "1")
    }
    #expect(backends.allSatisfy { $0.accepted == 0 })
    for _ in 0..<2 { backend.checked(backend.servers[1], fault: nil, now: 0, site) }
    #expect(try connection.exchange(.get()).status == 200)
    #expect(backends.map(\.requests.count) == [0, 1])
  }

  @Test("Beyond the most requests under way the answer is 503 with Retry-After; one that is done makes room")
  func circuit() throws {
    let release = Gate()
    let backend = try ScriptedBackend.echoing(holding: "/held", until: release)
    let proxy = try ProxyFixture([backend]) { $0.maxConcurrent = 1 }
    let holding = try proxy.connect()
    try holding.send(HTTPRequest.get("/held").bytes)
    #expect(backend.waitForRequest() != nil)
    let answer = try proxy.exchange(.get())
    #expect(answer.status == 503 && answer.errorCode == "backend_unavailable")
    #expect(answer.fields["Retry-After"] == "1")
    release.open()
    #expect(try holding.receiveAnswer().status == 200)
    #expect(try proxy.exchange(.get()).status == 200)
    #expect(backend.requests.count == 2)
  }

  @Test("The fewest requests under way: a server that holds one gets no other while one is free")
  func leastRequests() throws {
    let release = Gate()
    let backends = try (0..<2).map { _ in try ScriptedBackend.echoing(holding: "/held", until: release) }
    let proxy = try ProxyFixture(backends) { $0.policy = .leastRequests }
    let holding = try proxy.connect()
    try holding.send(HTTPRequest.get("/held").bytes)
    #expect(eventually { backends.contains { !$0.requests.isEmpty } })
    let holder = try #require(backends.firstIndex { !$0.requests.isEmpty })
    for _ in 0..<20 { #expect(try proxy.exchange(.get()).status == 200) }
    #expect(backends[holder].requests.count == 1)
    #expect(backends[1 - holder].requests.count == 20)
    release.open()
    #expect(try holding.receiveAnswer().status == 200)
  }

  @Test("A backend on a Unix socket is reached like any other, and passed over where nobody listens")
  func unixSocket() throws {
    let folder = try TemporaryFolder()
    let backend = try ScriptedBackend(unixPath: folder.path("app.sock"))
    let proxy = try ProxyFixture([]) {
      $0.unixPaths = [folder.path("nobody.sock"), folder.path("app.sock")]
    }
    let connection = try proxy.connect()
    for _ in 0..<6 { #expect(try connection.exchange(.post()).status == 200) }
    #expect(backend.requests.count == 6)
    #expect(backend.accepted == 1)
    let alone = try ProxyFixture([]) { $0.unixPaths = [folder.path("nobody.sock")] }
    #expect(try alone.exchange(.get()).errorCode == "backend_unavailable")
  }

  @Test("GW-75 a name that has moved is followed, also where a connection to its old address stands")
  func movedName() throws {
    let (old, new) = (try ScriptedBackend(), try ScriptedBackend())
    let record = Locked(SocketAddress.loopback(port: old.port))
    let lookUps = Monitor(0)
    let proxy = try ProxyFixture([]) {
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in
        lookUps.change { $0 += 1 }
        return [record.withLock { $0 }]
      }
    }
    for _ in 0..<3 { #expect(try proxy.exchange(.post()).status == 200) }
    #expect(old.accepted == 1 && lookUps.current == 1)
    record.withLock { $0 = SocketAddress.loopback(port: new.port) }
    // A look-up that failed long ago: the next one is due, while the address that was found last serves.
    proxy.backend?.servers[0].place.resolved([], now: 0)
    var statuses: Set<Int> = []
    let isFollowed = try eventually {
      statuses.insert(try proxy.exchange(.post()).status)
      return !new.requests.isEmpty
    }
    #expect(isFollowed && statuses == [200] && lookUps.current == 2)
    #expect(old.waitForOpen(0))
  }

  @Test("The next address joins after a quarter of a second, the first that stands serves, and it goes first then")
  func race() async throws {
    let hole = try BlackHole()
    let backend = try ScriptedBackend { try $0.reply(200, [("Connection", "close")]) }
    let addresses = [hole.address, SocketAddress.loopback(port: backend.port)]
    let proxy = try ProxyFixture([]) {
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in addresses }
      $0.timeouts.connect = 20_000
    }
    let start = MonotonicClock.nanoseconds
    #expect(try proxy.exchange(.post()).status == 200)
    let time = (MonotonicClock.nanoseconds - start) / 1_000_000
    #expect(time >= 240 && time < 10_000)
    #expect(proxy.count { $0.upstreamConnections.value } == 2)
    #expect(await proxy.workers.holdings().upstreams == 0)
    for _ in 0..<3 { #expect(try proxy.exchange(.post()).status == 200) }
    #expect(proxy.count { $0.upstreamConnections.value } == 5, "the good address is the first one now")
  }

  @Test("An address that refuses gives way to the next at once")
  func refusingAddress() throws {
    let dead = try ScriptedBackend()
    dead.stop()
    let backend = try ScriptedBackend()
    let addresses = [dead, backend].map { SocketAddress.loopback(port: $0.port) }
    let proxy = try ProxyFixture([]) {
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in addresses }
    }
    #expect(try proxy.exchange(.post()).status == 200)
    #expect(proxy.backend?.servers[0].isPlain == true, "one good address makes a good server")
  }

  @Test("Addresses that all lead nowhere cost their time limit once, then 502; nothing of the race is left")
  func lostRace() async throws {
    let holes = try [BlackHole(), BlackHole(), BlackHole()]
    let proxy = try ProxyFixture([]) {
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in holes.map(\.address) }
      $0.timeouts.connect = 600
    }
    let answer = try proxy.exchange(.get())
    #expect(answer.status == 502 && answer.errorCode == "backend_unavailable")
    #expect(proxy.count { $0.upstreamConnections.value } == 3)
    #expect(await proxy.workers.holdings().upstreams == 0)
  }

  @Test("A client that goes in the middle of a race takes all of it with it")
  func abandonedRace() async throws {
    let holes = try [BlackHole(), BlackHole()]
    let proxy = try ProxyFixture([]) {
      $0.servers = [("name.test", 80)]
      $0.names = NameResolver { _, _ in holes.map(\.address) }
      $0.timeouts.connect = 60_000
    }
    let connection = try proxy.connect()
    try connection.send(HTTPRequest.get().bytes)
    #expect(eventually { proxy.count { $0.upstreamConnections.value } == 2 })
    connection.reset()
    #expect(eventually { proxy.count { $0.connections.value &- $0.connectionsClosed.value } == 0 })
    let holdings = await proxy.workers.holdings()
    #expect(holdings.upstreams == 0 && holdings.exchanges == 0)
    #expect(proxy.backend?.load.requestsUnderWay == 0)
    #expect(proxy.backend?.servers[0].requestsUnderWay == 0)
  }
}

/// An address that no connection is made to, and that refuses none: a listener whose queue is full.
final class BlackHole: Sendable {
  let address: SocketAddress
  private let descriptors: [Int32]

  init() throws {
    let listener = try Socket.listen(on: .loopback(port: 0), sharesPort: false, backlog: 0)
    guard let address = Socket.localAddress(of: listener) else { throw TestFailure("no address") }
    self.address = address
    descriptors = try [listener] + (0..<4).map { _ in try Socket.connect(to: address) }
  }

  deinit { for descriptor in descriptors { Socket.close(descriptor) } }
}
