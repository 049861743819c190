import GatewayTesting
import Testing

/// Servers of a backend that fail, come back, are full or are asked whether they are well: through the real binary.
@Suite("Backends", .onEveryWire) struct BackendTests {
  private static let host = "backends.localhost"

  /// A gateway with one app, whose only route needs no token.
  private struct Rig {
    let gateway: GatewayProcess
    private var tenant: TenantFile

    init(
      ports: [UInt16] = [], servers: [String] = [], sections: [String: String] = [:], _ backendLines: String...
    ) throws {
      tenant = TenantFile(301, BackendTests.host, bundleIDs: [], ports: ports)
      tenant.servers = servers
      tenant.backendLines = backendLines
      tenant.routes = ["{ path: /, backend: main, auth: none }"]
      gateway = try GatewayProcess(
        GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: ["app.yaml": tenant.yaml], sections: sections))
    }

    func exchange(_ method: String = "GET", _ target: String = "/") throws -> HTTPAnswer {
      try gateway.exchange(HTTPRequest(method, target, host: BackendTests.host))
    }

    /// Writes the file anew with a line more, and waits until that version is live.
    func reload(_ line: String) throws {
      let before = logged("tenants are live")
      try gateway.folder.write("tenants/app.yaml", tenant.yaml + line + "\n")
      #expect(eventually { logged("tenants are live") > before })
    }

    func logged(_ message: String) -> Int { gateway.log.ranges(of: "\"message\":\"\(message)\"").count }

    /// The value of a metric of the server on this port.
    func metric(_ name: String, port: UInt16) throws -> String? {
      let labels = "{app=\"301\",backend=\"main\",server=\"http://127.0.0.1:\(port)\"} "
      return try metrics().split(separator: "\n").first { $0.hasPrefix("\(name)\(labels)") }
        .map { String($0.dropFirst(name.count + labels.count)) }
    }

    func metrics() throws -> String {
      let admin = gateway.adminPort
      let request = HTTPRequest("GET", "/metrics", host: "127.0.0.1:\(admin)")
      return try LoopbackConnection.exchange(port: admin, request).text
    }
  }

  /// A backend whose health a test sets.
  private final class Patient: Sendable {
    let isWell: Monitor<Bool>
    let backend: ScriptedBackend

    init(isWell: Bool = true) throws {
      let health = Monitor(isWell)
      self.isWell = health
      backend = try ScriptedBackend { exchange in
        if exchange.request.target == "/healthz" { return try exchange.reply(health.current ? 200 : 500) }
        try exchange.echo()
      }
    }

    var served: Int { backend.requests.count { $0.target != "/healthz" } }
    var checks: Int { backend.requests.count { $0.target == "/healthz" } }
  }

  private static let checks = "health: { path: /healthz, interval: 1s, timeout: 5s, passes: 1, failures: 1 }"

  @Test("GW-30 a health check carries the gateway's own assertion, the app's host, and speaks for no user")
  func markedChecks() throws {
    let patient = try Patient()
    let rig = try Rig(ports: [patient.backend.port], Self.checks)
    let check = try #require(patient.backend.waitForRequest { $0.target == "/healthz" })
    #expect(check.method == "GET")
    #expect(check.fields["Host"] == Self.host)
    #expect(check.fields["X-Speed-App-Id"] == "301")
    let assertion = try JWTText(try #require(check.fields["X-Speed-Assertion"]))
    #expect(assertion.claims["aud"].string == "app:301")
    #expect(assertion.claims["role"].string == "health")
    #expect(assertion.claims["sub"] == .null)
    #expect(check.fields["X-Speed-User-Id"] == nil && check.fields["Authorization"] == nil)
    #expect(try rig.exchange().status == 200)
  }

  @Test("GW-74 two of two down: 503 with Retry-After, told by the log and the metrics; one that is well again serves")
  func allDown() throws {
    let patients = try [Patient(isWell: false), Patient(isWell: false)]
    let ports = patients.map(\.backend.port)
    let rig = try Rig(ports: ports, Self.checks, "slowStart: 0s")
    #expect(eventually { rig.logged("a server is down") == 2 })
    for method in ["GET", "POST"] {
      let answer = try rig.exchange(method)
      #expect(answer.status == 503 && answer.errorCode == "backend_unavailable")
      #expect(answer.fields["Retry-After"] == "1")
    }
    #expect(patients.allSatisfy { $0.served == 0 })
    for port in ports { #expect(try rig.metric("speed_backend_server_up", port: port) == "0") }
    #expect(rig.gateway.log.contains("\"reason\":\"its answer has status 500\""))
    patients[0].isWell.change { $0 = true }
    #expect(try eventually { try rig.exchange().status == 200 })
    #expect(patients[1].served == 0)
    #expect(try rig.metric("speed_backend_server_up", port: ports[0]) == "1")
    #expect(eventually { rig.logged("a server is up") == 1 })
  }

  @Test("GW-73 a reload does not make a server well that is down")
  func reloadWithOneDown() throws {
    let patients = try [Patient(), Patient(isWell: false)]
    let rig = try Rig(ports: patients.map(\.backend.port), Self.checks)
    #expect(eventually { rig.logged("a server is down") == 1 })
    for index in 0..<3 {
      try rig.reload("x-note: \(index)")
      for _ in 0..<10 { #expect(try rig.exchange().status == 200) }
    }
    #expect(patients[1].served == 0)
    #expect(rig.logged("a server is down") == 1, "it never was up meanwhile")
    #expect(try rig.metric("speed_backend_server_up", port: patients[1].backend.port) == "0")
  }

  @Test("checks end with their app")
  func checksEnd() throws {
    let patient = try Patient()
    let rig = try Rig(ports: [patient.backend.port], Self.checks)
    #expect(eventually { patient.checks > 0 })
    #expect(try CommandResult.run(["rm", rig.gateway.folder.path("tenants/app.yaml")]).exitCode == 0)
    #expect(try eventually { try rig.exchange().status == 421 })
    // One may have been on its way.
    pause(milliseconds: 300)
    let checks = patient.checks
    pause(milliseconds: 1_500)
    #expect(patient.checks == checks)
  }

  @Test("a server that dies costs no request that another can serve, and is used again once it is back")
  func killAndRevive() throws {
    let (dying, other) = (try ScriptedBackend(), try ScriptedBackend())
    let rig = try Rig(
      ports: [dying.port, other.port], "ejection: { failures: 2, duration: 300ms }", "slowStart: 100ms")
    #expect(try eventually { try rig.exchange("POST").status == 200 && !dying.requests.isEmpty })
    dying.kill()
    #expect(dying.waitForOpen(0))
    for _ in 0..<20 { #expect(try rig.exchange("GET").status == 200) }
    #expect(rig.logged("a server is ejected") >= 1)
    #expect(rig.gateway.log.contains("\"reason\":\"it can't be reached\""))
    #expect(try rig.metric("speed_backend_server_ejections_total", port: dying.port) != "0")
    let revived = try ScriptedBackend(port: dying.port)
    var statuses: Set<Int> = []
    let isBack = try eventually {
      statuses.insert(try rig.exchange("POST").status)
      return revived.requests.count >= 3
    }
    #expect(isBack && statuses == [200])
    #expect(eventually { rig.logged("a server is back from ejection") >= 1 })
  }

  @Test("a server that is new beside others gets less than its share at first")
  func slowStart() throws {
    let (first, second) = (try ScriptedBackend(), try ScriptedBackend())
    let rig = try Rig(ports: [first.port], "slowStart: 1h")
    #expect(try rig.exchange().status == 200)
    var tenant = TenantFile(301, Self.host, bundleIDs: [], ports: [first.port, second.port])
    tenant.backendLines = ["slowStart: 1h"]
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let before = rig.logged("tenants are live")
    try rig.gateway.folder.write("tenants/app.yaml", tenant.yaml)
    #expect(eventually { rig.logged("tenants are live") > before })
    for _ in 0..<200 { #expect(try rig.exchange().status == 200) }
    // A tenth of the half that its turns are.
    #expect(second.requests.count < 50)
  }

  @Test("a backend's own errors pass as they are, and one that only gives gateway errors is passed over")
  func gatewayErrors() throws {
    let failing = try ScriptedBackend { try $0.reply(503, [("Retry-After", "7")], body: Array("busy".utf8)) }
    let good = try ScriptedBackend()
    let rig = try Rig(ports: [failing.port, good.port], "ejection: { failures: 3, duration: 1m }")
    let answers = try (0..<30).map { _ in try rig.exchange() }
    let errors = answers.filter { $0.status == 503 }
    #expect(errors.count == 3 && errors.allSatisfy { $0.text == "busy" && $0.fields["Retry-After"] == "7" })
    #expect(rig.gateway.log.contains("\"reason\":\"it did not serve requests\""))
  }

  @Test("beyond maxConcurrent the answer is 503 with Retry-After at once, and one that is done makes room")
  func circuit() throws {
    let release = Gate()
    let backend = try ScriptedBackend.echoing(holding: "/held", until: release)
    let rig = try Rig(ports: [backend.port], "maxConcurrent: 1")
    let holding = try rig.gateway.connect()
    defer { holding.close() }
    try holding.send(HTTPRequest("GET", "/held", host: Self.host).bytes)
    #expect(backend.waitForRequest() != nil)
    #expect(try rig.metric("speed_backend_server_requests", port: backend.port) == "1")
    let answer = try rig.exchange()
    #expect(answer.status == 503 && answer.errorCode == "backend_unavailable")
    #expect(answer.fields["Retry-After"] == "1")
    #expect(try rig.metrics().contains("speed_backend_refused_total{app=\"301\",backend=\"main\"} 1\n"))
    release.open()
    #expect(try holding.receiveAnswer().status == 200)
    #expect(try eventually { try rig.exchange().status == 200 })
    #expect(try eventually { try rig.metric("speed_backend_server_requests", port: backend.port) == "0" })
  }

  @Test("the fewest requests under way: one that holds a request gets no other while one is free")
  func leastRequests() throws {
    let release = Gate()
    let backends = try (0..<2).map { _ in try ScriptedBackend.echoing(holding: "/held", until: release) }
    // On one loop a request is counted out before the next is looked at, though its client has the answer already.
    let rig = try Rig(ports: backends.map(\.port), sections: ["loops": "1"], "policy: leastRequests")
    let holding = try rig.gateway.connect()
    defer { holding.close() }
    try holding.send(HTTPRequest("GET", "/held", host: Self.host).bytes)
    #expect(eventually { backends.contains { !$0.requests.isEmpty } })
    let holder = try #require(backends.firstIndex { !$0.requests.isEmpty })
    for _ in 0..<20 { #expect(try rig.exchange().status == 200) }
    #expect(backends.map(\.requests.count)[holder] == 1)
    release.open()
    #expect(try holding.receiveAnswer().status == 200)
  }

  @Test("a server on a Unix socket beside the tenant file serves and is checked")
  func unixSocket() throws {
    let rig = try Rig(servers: ["unix:app.sock"], Self.checks)
    #expect(eventually { rig.logged("a server is down") == 1 })
    #expect(try rig.exchange().status == 503)
    let backend = try ScriptedBackend(unixPath: rig.gateway.folder.path("tenants/app.sock"))
    #expect(try eventually { try rig.exchange("POST").status == 200 })
    let check = try #require(backend.waitForRequest { $0.target == "/healthz" })
    #expect(check.fields["Host"] == Self.host)
    #expect(try rig.exchange().echoedFields()["Host"] == Self.host)
  }

  @Test("a name with an address of each family is reached whichever the server listens on")
  func byName() throws {
    let backend = try ScriptedBackend()
    let rig = try Rig(servers: ["http://localhost:\(backend.port)"])
    for _ in 0..<3 { #expect(try rig.exchange("POST").status == 200) }
  }
}
