import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTesting
import Testing

@testable import GatewayProxy

/// What a worker makes of addresses, origins and limits, on real sockets.
@Suite("The client's edge") struct EdgeTests {
  private static let loopback = AddressRange(address: .v4(127 << 24), prefix: 8)

  @Test("GW-25 GW-27 nobody is trusted unless the configuration names him")
  func untrusted() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()])
    let seen = try proxy.exchange(
      .get().adding("X-Forwarded-For", "192.0.2.1").adding("X-Forwarded-Proto", "https")
    ).echoedFields()
    #expect(seen.all("X-Forwarded-For") == ["127.0.0.1"])
    #expect(seen["X-Forwarded-Proto"] == "http" && seen["X-Forwarded-Port"] == "\(proxy.port)")
  }

  @Test("GW-102 a trusted peer's word holds: one line of the address, and the scheme with its port")
  func trusted() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) { $0.trusted = [Self.loopback] }
    func seen(_ address: String, _ scheme: String?) throws -> HTTPFields {
      var request = HTTPRequest.get().adding("X-Forwarded-For", address)
      if let scheme { request = request.adding("X-Forwarded-Proto", scheme) }
      return try proxy.exchange(request).echoedFields()
    }
    let https = try seen("1.1.1.1, [::ffff:192.0.2.1]:80, 127.0.0.2", "https")
    #expect(https.all("X-Forwarded-For") == ["192.0.2.1"])
    #expect(https.all("X-Forwarded-Proto") == ["https"] && https["X-Forwarded-Port"] == "443")
    let http = try seen("2001:db8::1", "http")
    #expect(http["X-Forwarded-For"] == "2001:db8::1")
    #expect(http["X-Forwarded-Proto"] == "http" && http["X-Forwarded-Port"] == "80")
    for scheme in [nil, "ftp", "HTTPS", "https, http", ""] {
      #expect(try seen("192.0.2.1", scheme)["X-Forwarded-Port"] == "\(proxy.port)", "\(scheme ?? "none")")
    }
    #expect(try seen("rubbish", nil)["X-Forwarded-For"] == "127.0.0.1")
  }

  @Test("limits count the address that a trusted peer names, and nobody dodges them by making one up")
  func limitedByAddress() throws {
    let rule = RateRule(requests: 2, milliseconds: 60_000)
    let proxy = try ProxyFixture([try ScriptedBackend()]) {
      $0.trusted = [Self.loopback]
      $0.limit = RouteLimit(app: 7, path: "/limited/", rule: rule, subject: .user)
    }
    func status(_ forwarded: String) throws -> Int {
      try proxy.exchange(.get("/limited/").adding("X-Forwarded-For", forwarded)).status
    }
    #expect(try (status("192.0.2.1"), status("1.1.1.1, 192.0.2.1"), status("2.2.2.2, 192.0.2.1")) == (200, 200, 429))
    #expect(try status("192.0.2.2") == 200)
  }

  @Test("users are counted by their token, on every loop together, and told how they stand")
  func limitedByUser() throws {
    let rule = RateRule(requests: 3, milliseconds: 60_000)
    let backend = try ScriptedBackend()
    let proxy = try ProxyFixture([backend]) {
      $0.loops = 3
      $0.limit = RouteLimit(app: 7, path: "/private/", rule: rule, subject: .user)
    }
    for left in [2, 1, 0] {
      let answer = try proxy.exchange(.get("/private/").signedIn("good.token.\(left)"))
      #expect(answer.status == 200)
      #expect(answer.fields["RateLimit-Policy"] == "\"default\";q=3;w=60")
      let standing = try #require(answer.fields["RateLimit"])
      #expect(standing.hasPrefix("\"default\";r=\(left);t="))
      let reset = standing.split(separator: "=").last.flatMap { Int($0) } ?? 0
      #expect(((3 - left) * 20 - 19...(3 - left) * 20).contains(reset))
    }
    let refused = try proxy.exchange(.post("/private/").signedIn())
    #expect(refused.status == 429 && refused.errorCode == "rate_limited")
    #expect(refused.fields["X-Speed-Error"] == "rate_limited")
    #expect(refused.fields["RateLimit-Policy"] == "\"default\";q=3;w=60")
    let wait = try #require(refused.fields["Retry-After"].flatMap { Int($0) })
    #expect((1...20).contains(wait) && refused.fields["RateLimit"] == "\"default\";r=0;t=\(wait)")
    #expect(backend.requests.count == 3)
    #expect(proxy.count { $0.rateLimited.value } == 1)
  }

  @Test("who has no good token is refused for that, and costs nobody's allowance")
  func tokenFirst() throws {
    let rule = RateRule(requests: 1, milliseconds: 60_000)
    let proxy = try ProxyFixture([try ScriptedBackend()]) {
      $0.limit = RouteLimit(app: 7, path: "/private/", rule: rule, subject: .app)
    }
    for _ in 0..<3 { #expect(try proxy.exchange(.get("/private/")).status == 401) }
    #expect(try proxy.exchange(.get("/private/").signedIn()).status == 200)
    #expect(try proxy.exchange(.get("/private/")).status == 401)
    #expect(try proxy.exchange(.get("/private/").signedIn()).status == 429)
  }

  @Test("GW-67 an address has its share of connections, whichever loop they come to")
  func connectionsOfAddress() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) {
      $0.loops = 3
      $0.limits.connectionsPerAddress = 3
    }
    let open = try (0..<3).map { _ in try proxy.connect() }
    for connection in open { #expect(try connection.exchange(.get()).status == 200) }
    #expect(try proxy.connect().isClosed())
    #expect(proxy.count { $0.connectionsRefusedByAddress.value } == 1)
    open[0].close()
    #expect(eventually { (try? proxy.exchange(.get()).status) == 200 })
  }

  @Test("GW-67 all loops together take no more connections than the limit")
  func connectionsOfAllLoops() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) {
      $0.loops = 4
      $0.limits.connections = 5
    }
    let open = try (0..<5).map { _ in try proxy.connect() }
    for connection in open { #expect(try connection.exchange(.get()).status == 200) }
    #expect(try proxy.connect().isClosed())
    #expect(proxy.count { $0.connectionsRefused.value } == 1)
  }

  @Test("a trusted proxy stands for all of its clients, so it may have as many connections as it needs")
  func connectionsOfProxy() throws {
    let proxy = try ProxyFixture([try ScriptedBackend()]) {
      $0.trusted = [Self.loopback]
      $0.limits.connectionsPerAddress = 1
    }
    let open = try (0..<4).map { _ in try proxy.connect() }
    for connection in open { #expect(try connection.exchange(.get()).status == 200) }
  }
}

/// A listener behind a proxy that announces each connection.
@Suite("Announced connections") struct AnnouncedConnectionTests {
  private static let line = "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n"
  private static let request = "GET / HTTP/1.1\r\nHost: app.test\r\n\r\n"

  private func proxy(_ configure: (inout ProxyFixture.Options) -> Void = { _ in }) throws -> ProxyFixture {
    try ProxyFixture([try ScriptedBackend()]) {
      $0.isAnnounced = true
      configure(&$0)
    }
  }

  @Test("the announced address is the peer of every request of the connection")
  func announced() throws {
    let proxy = try proxy()
    let connection = try proxy.connect()
    defer { connection.close() }
    try connection.send(Self.line + Self.request)
    #expect(try connection.receiveAnswer().echoedFields()["X-Forwarded-For"] == "192.0.2.1")
    #expect(
      try connection.exchange(.get().adding("X-Forwarded-For", "9.9.9.9")).echoedFields()["X-Forwarded-For"]
        == "192.0.2.1")
  }

  @Test("an announcement may come byte by byte, and its end apart from the request")
  func pieces() throws {
    let proxy = try proxy()
    let connection = try proxy.connect()
    defer { connection.close() }
    try connection.sendBytewise(Self.line)
    try connection.send(Self.request)
    #expect(try connection.receiveAnswer().echoedFields()["X-Forwarded-For"] == "192.0.2.1")
  }

  @Test("a proxy that speaks for itself keeps its own address")
  func local() throws {
    let proxy = try proxy()
    let connection = try proxy.connect()
    defer { connection.close() }
    let local: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x20, 0, 0, 0]
    try connection.send(local + Array(Self.request.utf8))
    #expect(try connection.receiveAnswer().echoedFields()["X-Forwarded-For"] == "127.0.0.1")
  }

  @Test(
    "a connection without a good announcement is closed without a word",
    arguments: [request, "PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n\(request)", "\u{16}\u{3}\u{1}", " "])
  func missing(bytes: String) throws {
    let proxy = try proxy()
    let connection = try proxy.connect()
    defer { connection.close() }
    connection.sendIfPossible(Array(bytes.utf8))
    #expect(try connection.receiveToEnd() == [])
    #expect(eventually { proxy.count { $0.announcementsRefused.value } == 1 })
  }

  @Test("a connection that ends within its announcement is forgotten")
  func ended() async throws {
    let proxy = try proxy()
    let connection = try proxy.connect()
    try connection.send("PROXY TCP4 192")
    connection.finishSending()
    #expect(connection.isClosed())
    connection.close()
    #expect(await proxy.workers.holdings().clients == 0)
  }

  @Test("GW-67 an announcement has the time of a head, however steadily it trickles")
  func slow() throws {
    let proxy = try proxy { $0.limits.head = 300 }
    let silent = try proxy.connect()
    let trickling = try proxy.connect()
    try trickling.send("PROXY UNKNOWN ")
    let deadline = Deadline(seconds: 10)
    while !deadline.isOver, (try? trickling.send("a")) != nil { pause(milliseconds: 20) }
    #expect(!deadline.isOver)
    #expect(silent.isClosed())
  }

  @Test("only proxies that are trusted may announce, where any are named")
  func trust() throws {
    let other = AddressRange(address: .v4(10 << 24), prefix: 8)
    let untrusting = try proxy { $0.trusted = [other] }
    let connection = try untrusting.connect()
    connection.sendIfPossible(Array((Self.line + Self.request).utf8))
    #expect(try connection.receiveToEnd() == [])
    #expect(eventually { untrusting.count { $0.announcementsRefused.value } == 1 })
    let loopback = AddressRange(address: .v4(127 << 24), prefix: 8)
    let trusted = try proxy { $0.trusted = [loopback] }
    let good = try trusted.connect()
    defer { good.close() }
    try good.send(Self.line + "GET / HTTP/1.1\r\nHost: app.test\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n")
    #expect(
      try good.receiveAnswer().echoedFields()["X-Forwarded-For"] == "192.0.2.1", "whom it announces is not trusted")
  }

  @Test("connections count for the address that is announced, not for the proxy's")
  func share() throws {
    let proxy = try proxy { $0.limits.connectionsPerAddress = 1 }
    func connect(_ address: String) throws -> LoopbackConnection {
      let connection = try proxy.connect()
      connection.sendIfPossible(Array(("PROXY TCP4 \(address) 198.51.100.1 1 2\r\n" + Self.request).utf8))
      return connection
    }
    let first = try connect("192.0.2.1")
    #expect(try first.receiveAnswer().status == 200)
    #expect(try connect("192.0.2.2").receiveAnswer().status == 200)
    #expect(try connect("192.0.2.1").receiveToEnd() == [])
    #expect(proxy.count { $0.connectionsRefusedByAddress.value } == 1)
  }

  @Test("a drain ends connections that have announced nothing")
  func drain() async throws {
    let proxy = try proxy()
    let silent = try proxy.connect()
    #expect(eventually { proxy.count { $0.connections.value } == 1 })
    await proxy.workers.drain(timeout: 10_000)
    #expect(silent.isClosed())
  }
}
