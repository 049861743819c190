import GatewayOutbound
import Testing

/// Probes of servers: many at once, none of which holds up another.
@Suite("Prober") struct ProberTests {
  private let prober: Prober

  init() throws { prober = try Prober() }

  private func ask(_ probe: Probe) async -> ProbeResult {
    await withCheckedContinuation { continuation in prober.send(probe) { continuation.resume(returning: $0) } }
  }

  private func server(_ status: String) -> LoopbackServer {
    LoopbackServer { _ in "HTTP/1.1 \(status)\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 2\r\n\r\nok" }
  }

  @Test(
    "an answer of 2xx is good, any other is not, and a redirect is not followed",
    arguments: [("200 OK", true), ("204 No Content", true), ("302 Found", false), ("404 X", false), ("503 X", false)])
  func status(line: String, isGood: Bool) async {
    let server = server(line)
    let result = await ask(Probe(url: "http://127.0.0.1:\(server.port)/healthz"))
    #expect(result == .answered(status: Int(line.prefix(3)) ?? 0))
    #expect((result.fault == nil) == isGood)
    #expect(server.exchanges.count == 1)
  }

  @Test("a server that says nothing is given up after its time, and others are asked meanwhile")
  func silence() async throws {
    let (silent, good) = (LoopbackServer { _ in nil }, server("200 OK"))
    var probe = Probe(url: "http://127.0.0.1:\(silent.port)/")
    probe.timeout = 700
    let late = probe
    async let lateResult = ask(late)
    for _ in 0..<20 {
      #expect(await ask(Probe(url: "http://127.0.0.1:\(good.port)/")) == .answered(status: 200))
    }
    #expect(await lateResult == .failed(.timedOut))
    #expect(good.exchanges.count == 20)
    #expect(Set(good.exchanges.map(\.connection)).count == 20, "each on a connection of its own")
  }

  @Test("where nobody listens, that is the fault")
  func refused() async {
    let server = server("200 OK")
    server.stop()
    let result = await ask(Probe(url: "http://127.0.0.1:\(server.port)/"))
    #expect(result == .failed(.unreachable))
    #expect(result.fault == "the host can't be reached")
  }

  @Test("fields are sent as given, the host among them, and the path as it is")
  func fields() async {
    let server = server("200 OK")
    var probe = Probe(url: "http://127.0.0.1:\(server.port)/a/../healthz")
    probe.fields = [OutboundRequest.Field("Host", "app.test"), OutboundRequest.Field("X-Speed-App-Id", "7")]
    #expect(await ask(probe).fault == nil)
    let request = server.exchanges.first?.request ?? ""
    #expect(request.hasPrefix("GET /a/../healthz HTTP/1.1\r\n"))
    #expect(request.contains("\r\nHost: app.test\r\n") && request.contains("\r\nX-Speed-App-Id: 7\r\n"))
    #expect(!request.contains("Host: 127"))
  }

  @Test("a Unix socket where nobody listens is a fault, and so is what is no URL")
  func nowhere() async {
    var probe = Probe(url: "http://localhost/")
    probe.unixPath = "/nonexistent/app.sock"
    #expect(await ask(probe).fault != nil)
    #expect(await ask(Probe(url: "file:///etc/passwd")).fault != nil)
  }

  @Test("an answer without an end counts by its status as soon as it is longer than anyone reads")
  func endless() async {
    let body = String(repeating: "x", count: 200_000)
    let server = LoopbackServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n\(body)" }
    #expect(await ask(Probe(url: "http://127.0.0.1:\(server.port)/")) == .answered(status: 200))
  }
}
