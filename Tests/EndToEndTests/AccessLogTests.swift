import GatewayTesting
import Testing

/// What the log and the metrics of a running gateway say of requests.
@Suite("Access log and metrics", .onEveryWire) struct AccessLogTests {
  /// The lines of requests that a gateway has written to standard output so far.
  private func requests(_ process: ChildProcess) throws -> [JSON] {
    try process.standardOutput.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
  }

  private func line(_ process: ChildProcess, _ find: @escaping (JSON) -> Bool) -> JSON? {
    process.waitForLine { text -> JSON? in
      guard let line = try? JSON(parsing: Array(text.utf8)), line["message"].string == "request", find(line) else {
        return nil
      }
      return line
    }
  }

  @Test("GW-109 a line an exchange on standard output, without tokens, queries, cookies or addresses of mail")
  func everyRequest() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port], sections: ["log": "{ level: debug, access: { mode: on } }"])
    let process = relay.gateway.process
    #expect(try relay.exchange("GET", "/a?code=QUERYSECRET", [("Cookie", "COOKIESECRET")]).status == 200)
    let passed = try #require(line(process) { $0["path"].string == "/a" })
    #expect(passed["app"].integer == 201 && passed["user"].string?.isEmpty == false)
    #expect(passed["upstream"].string == "http://127.0.0.1:\(backend.port)")
    let signIn = try #require(line(process) { $0["path"].string == "/api/platform/auth/apple-native" })
    #expect(signIn["method"].string == "POST" && signIn["status"].integer == 200 && signIn["app"].integer == nil)
    let refused = try relay.gateway.exchange(HTTPRequest("GET", "/b?access_token=\(relay.bearer)", host: Relay.host))
    #expect(refused.status == 400)
    #expect(line(process) { $0["path"].string == "/b" }?["code"].string == "invalid_request")
    for secret in ["QUERYSECRET", "COOKIESECRET", relay.bearer, "example.org"] {
      #expect(!relay.gateway.log.contains(secret))
    }
    // The admin listener's own requests are none of the traffic.
    #expect(try requests(process).allSatisfy { $0["path"].string != "/readyz" })
  }

  @Test("sampled: of what passes one in so many, and each that failed; nothing is lost at the end of the process")
  func sampled() throws {
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/dead" { throw PeerClosed() }
      try exchange.echo()
    }
    let relay = try Relay(
      ports: [backend.port], sections: ["log": "{ access: { mode: sampled, oneIn: 10 } }", "loops": "1"])
    for number in 0..<100 { #expect(try relay.exchange("GET", "/\(number)").status == 200) }
    #expect(try relay.exchange("GET", "/dead").status == 502)
    let process = relay.gateway.process
    process.signal(15)
    #expect(process.waitForEnd() == .exited(0))
    #expect(line(process) { $0["path"].string == "/dead" }?["status"].integer == 502)
    let passed = try requests(process).filter { $0["status"].integer == 200 }
    #expect((9...12).contains(passed.count))
  }

  @Test("off, as it is without a word: not a line")
  func off() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    #expect(try relay.exchange().status == 200)
    relay.gateway.process.signal(15)
    #expect(relay.gateway.process.waitForEnd() == .exited(0))
    #expect(relay.gateway.process.standardOutput.isEmpty)
  }

  @Test("a file that was moved away is made anew at SIGHUP")
  func rotation() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(
      ports: [backend.port], sections: ["log": "{ level: info, access: { mode: on, file: access.log } }"])
    let folder = relay.gateway.folder
    #expect(try relay.exchange("GET", "/first").status == 200)
    #expect(eventually { (try? folder.read("access.log").contains("\"/first\"")) == true })
    #expect(try CommandResult.run(["mv", folder.path("access.log"), folder.path("access.log.1")]).exitCode == 0)
    relay.gateway.process.signal(1)
    #expect(eventually { (try? folder.read("access.log")) != nil })
    #expect(try relay.exchange("GET", "/second").status == 200)
    #expect(eventually { (try? folder.read("access.log").contains("\"/second\"")) == true })
    #expect(try !folder.read("access.log").contains("\"/first\""))
  }

  @Test("GW-111 strangers' hosts and paths add nothing to the metrics")
  func boundedMetrics() throws {
    let stage = try Stage.shared()
    func names() throws -> Set<Substring> {
      let answer = try LoopbackConnection.exchange(
        port: stage.gateway.adminPort, HTTPRequest("GET", "/metrics", host: "127.0.0.1"))
      return Set(answer.text.split(separator: "\n").map { $0.prefix { $0 != " " } })
    }
    #expect(try stage.gateway.exchange(HTTPRequest("GET", "/x", host: "a.nobody.example")).status == 421)
    let before = try names()
    #expect(before.contains("speed_requests_total{app=\"none\",class=\"4xx\"}"))
    #expect(before.contains("speed_requests_total{app=\"\(App.alpha.id)\",class=\"2xx\"}"))
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    for number in 0..<2000 {
      let host = number % 2 == 0 ? "h\(number).example" : App.alpha.host
      let request = HTTPRequest("GET", "/public/\(number)", host: host, fields: [("X-N\(number)", "1")])
      _ = try connection.exchange(request)
    }
    let grown = try names().subtracting(before).filter { !$0.contains("app=\"1") }
    // Other tests of this stage may be the first to ask something of their app.
    #expect(grown.isEmpty)
  }

  @Test("closed standard output holds nobody up")
  func closedOutput() throws {
    let backend = try ScriptedBackend()
    var tenant = TenantFile(401, "mute.localhost", bundleIDs: [], ports: [backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let setup = GatewaySetup(
      keysURL: "http://127.0.0.1:9/", tenants: ["a.yaml": tenant.yaml],
      sections: ["log": "{ access: { mode: on } }"])
    let gateway = try GatewayProcess(setup, launcher: ["/bin/sh", "-c", "exec \"$@\" >&-", "sh"])
    for _ in 0..<20 {
      #expect(try gateway.exchange(HTTPRequest("GET", "/", host: "mute.localhost")).status == 200)
    }
    #expect(gateway.process.isRunning)
  }
}
