import GatewayBase
import GatewayTLS
import GatewayTesting
import Testing

/// TLS on the real command: what the machine's own tests can't see.
@Suite("TLS", .onWiresOfItsOwn) struct TLSTests {
  private static let authority = "certs/test.pem"

  /// Connects over TLS.
  ///
  /// - Parameter trust: a certificate file in the gateway's folder.
  private func stream(
    _ gateway: GatewayProcess, _ host: String, trust: String = authority, _ protocols: [ApplicationProtocol] = [.http1]
  ) throws -> TLSStream {
    let context = try TLSClientContext(trust: .file(gateway.folder.path(trust)), protocols: protocols)
    return try TLSStream(
      port: #require(gateway.tlsPort), context, host: URLHost(#require(HostName(host))), seconds: Patience.seconds)
  }

  private func clientTool(_ gateway: GatewayProcess, _ arguments: String...) throws -> String {
    let result = try CommandResult.run(
      ["openssl", "s_client", "-connect", "127.0.0.1:\(try #require(gateway.tlsPort))"] + arguments)
    return result.standardOutput + result.standardError
  }

  private func curl(_ gateway: GatewayProcess, _ arguments: String...) throws -> CommandResult {
    let port = try #require(gateway.tlsPort)
    return try CommandResult.run(
      [
        "curl", "-sS", "-o", "/dev/null", "-w", "%{http_version} %{http_code}", "--cacert",
        gateway.folder.path(Self.authority), "--resolve", "\(App.alpha.host):\(port):127.0.0.1",
        "https://\(App.alpha.host):\(port)/public/x",
      ] + arguments)
  }

  @Test("curl reaches an app over TLS 1.2 and 1.3, by HTTP/1.1 and HTTP/2, and not by what is older")
  func publicClient() throws {
    let gateway = try Stage.shared().gateway
    #expect(try curl(gateway, "--http1.1").standardOutput == "1.1 200")
    #expect(try curl(gateway, "--http2").standardOutput == "2 200")
    #expect(try curl(gateway, "--http1.1", "--tls-max", "1.2").standardOutput == "1.1 200")
    #expect(try curl(gateway, "--http1.1", "--tlsv1.3").standardOutput == "1.1 200")
    #expect(try curl(gateway, "--tlsv1.0", "--tls-max", "1.1").exitCode == 35)
  }

  @Test("the backend is told that the client came over TLS, and the port")
  func scheme() throws {
    let stage = try Stage.shared()
    let seen = try stage.gateway.exchange(HTTPRequest("GET", "/public/x", host: App.alpha.host), on: .tls)
      .echoedFields()
    #expect(seen.all("X-Forwarded-Proto") == ["https"])
    #expect(seen["X-Forwarded-Port"] == stage.gateway.tlsPort.map { "\($0)" })
  }

  @Test("the protocol follows from the client's offer, and one that we don't speak is refused")
  func protocols() throws {
    let gateway = try Stage.shared().gateway
    #expect(try clientTool(gateway, "-alpn", "http/1.1,h2").contains("ALPN protocol: h2"))
    #expect(try clientTool(gateway, "-alpn", "http/1.1").contains("ALPN protocol: http/1.1"))
    #expect(try clientTool(gateway).contains("No ALPN negotiated"))
    #expect(try clientTool(gateway, "-alpn", "spdy/3").contains("no application protocol"))
  }

  @Test("the certificate follows the name, and the first serves who names none")
  func names() throws {
    let gateway = try twoNames()
    for name in ["a.localhost", "b.localhost"] {
      #expect(try clientTool(gateway, "-servername", name).contains("subject=CN = test"))
    }
    _ = try stream(gateway, "b.localhost", trust: "certs/b.pem")
    _ = try stream(gateway, "a.localhost")
    _ = try stream(gateway, "127.0.0.1")
    #expect(throws: TLSFailure.self) { try stream(gateway, "b.localhost") }
  }

  @Test("GW-121 a random name is refused in the handshake, without a certificate shown")
  func unknownName() throws {
    let gateway = try twoNames()
    for name in ["unknown.example", "\(UUIDText.random()).example"] {
      let text = try clientTool(gateway, "-servername", name)
      #expect(text.contains("unrecognized name") && text.contains("no peer certificate available"))
    }
    #expect(gateway.log.contains("no certificate for the name asked for"))
    _ = try stream(gateway, "a.localhost")
  }

  /// A gateway with a certificate for `*.localhost` and one for `b.localhost`.
  private func twoNames() throws -> GatewayProcess {
    let other = try TestCertificate(names: ["DNS:b.localhost"])
    var setup = GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: [:])
    setup.sections["listen"] = """
      [{ address: 127.0.0.1:0 }, { address: 127.0.0.1:0, tls: [{ certificate: certs/test.pem, key: certs/test.key }, \
      { certificate: certs/b.pem, key: certs/b.key }] }]
      """
    setup.files = ["certs/b.pem": other.certificate, "certs/b.key": other.key]
    return try GatewayProcess(setup)
  }

  @Test("a handshake that does not come to its end in time is given up, also one that never begins")
  func deadline() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(
      ports: [backend.port], sections: ["limits": "{ headTimeout: 500ms }"])
    let port = try #require(relay.gateway.tlsPort)
    let (silent, begun) = (try LoopbackConnection(port: port), try LoopbackConnection(port: port))
    try begun.send([22, 3, 1, 2, 0, 1, 0])
    #expect(silent.isClosed() && begun.isClosed())
    #expect(try relay.exchange().status == 200)
  }

  @Test("bytes that are no TLS get no answer of HTTP, and harm nobody")
  func plainBytes() throws {
    let gateway = try Stage.shared().gateway
    let connection = try LoopbackConnection(port: #require(gateway.tlsPort))
    try connection.send("GET / HTTP/1.1\r\nHost: \(App.alpha.host)\r\n\r\n")
    #expect(!String(decoding: try connection.receiveToEnd(), as: UTF8.self).contains("HTTP/1.1"))
    #expect(try gateway.exchange(HTTPRequest("GET", "/public/x", host: App.alpha.host), on: .tls).status == 200)
  }

  @Test("a certificate is replaced without losing a connection, and tickets outlive it")
  func replaced() throws {
    let gates = (0..<2).map { _ in Gate() }
    let backend = try ScriptedBackend { exchange in
      if exchange.request.target == "/stream" { try exchange.replyInPieces(behind: gates) } else { try exchange.echo() }
    }
    let relay = try Relay(ports: [backend.port])
    let tickets = try TLSClientContext(trust: .anyone, protocols: [.http1])
    #expect(try visit(relay, tickets) == false)
    let streaming = try relay.gateway.connect(.tls)
    defer { streaming.close() }
    try streaming.send(relay.request("GET", "/stream").bytes)
    _ = try streaming.receiveHead()
    gates[0].open()
    #expect(String(decoding: try streaming.receiveBodyPiece(), as: UTF8.self) == "piece 0")
    try renew(relay.gateway)
    gates[1].open()
    #expect(String(decoding: try streaming.receiveBodyPiece(), as: UTF8.self) == "piece 1")
    #expect(try visit(relay, tickets) == true)
  }

  /// Makes one request over a connection of its own; whether it resumed an earlier one.
  private func visit(_ relay: Relay, _ context: TLSClientContext) throws -> Bool {
    let stream = try TLSStream(
      port: #require(relay.gateway.tlsPort), context, host: .name(HostName(literal: "relay.localhost")),
      seconds: Patience.seconds)
    let connection = LoopbackConnection(stream)
    defer { connection.close() }
    #expect(try connection.exchange(relay.request()).status == 200)
    return stream.wasResumed
  }

  /// Gives the gateway another certificate and waits until it shows it.
  private func renew(_ gateway: GatewayProcess) throws {
    let other = try TestCertificate(names: ["DNS:relay.localhost"])
    try gateway.folder.write("renewed.pem", other.certificate)
    try gateway.folder.write("certs/test.pem", other.certificate)
    try gateway.folder.write("certs/test.key", other.key)
    #expect(eventually { (try? stream(gateway, Relay.host, trust: "renewed.pem")) != nil })
  }

  @Test("a certificate that breaks is told with its file, and the last good one goes on")
  func broken() throws {
    let backend = try ScriptedBackend()
    let relay = try Relay(ports: [backend.port])
    let folder = relay.gateway.folder
    try folder.write("good.pem", folder.read(Self.authority))
    try folder.write("certs/test.key", TestCertificate(names: ["DNS:a.test"]).key)
    #expect(
      eventually {
        relay.gateway.log.contains("a certificate has a problem") && relay.gateway.log.contains("test.key")
      })
    _ = try stream(relay.gateway, Relay.host, trust: "good.pem")
    try renew(relay.gateway)
  }
}
