import GatewayTesting
import Testing

/// TLS towards backends. The backend is another gateway, as that is what speaks TLS here.
@Suite("TLS to backends", .onWiresOfItsOwn) struct BackendTLSTests {
  private static let host = "chain.localhost"

  /// A gateway that reaches its backend over TLS.
  private struct Chain {
    let near: GatewayProcess
    let far: GatewayProcess
    let backend: ScriptedBackend

    /// - Parameters:
    ///   - name: by which the backend is reached.
    ///   - lines: of the backend; `FAR` stands for the folder of the one behind.
    init(name: String = "127.0.0.1", _ lines: String...) throws {
      let backend = try ScriptedBackend()
      self.backend = backend
      far = try GatewayProcess(Self.setup { $0.servers = ["http://127.0.0.1:\(backend.port)"] })
      let port = try #require(far.tlsPort)
      let folder = far.folder.path
      near = try GatewayProcess(
        Self.setup { tenant in
          tenant.servers = ["https://\(name):\(port)"]
          tenant.backendLines = lines.map { $0.replacing("FAR", with: folder) }
        })
    }

    static func setup(_ change: (inout TenantFile) -> Void) -> GatewaySetup {
      var tenant = TenantFile(301, BackendTLSTests.host, bundleIDs: [], ports: [])
      tenant.routes = ["{ path: /, backend: main, auth: none }"]
      change(&tenant)
      return GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: ["app.yaml": tenant.yaml])
    }

    func exchange(_ method: String = "GET", body: [UInt8] = []) throws -> HTTPAnswer {
      try near.exchange(HTTPRequest(method, "/x", host: BackendTLSTests.host, body: body))
    }
  }

  @Test(
    "a backend with an authority of its own is reached by address and by name", arguments: ["127.0.0.1", "localhost"])
  func authority(name: String) throws {
    let chain = try Chain(name: name, "ca: FAR/certs/test.pem")
    #expect(try chain.exchange().status == 200)
    let body = [UInt8](repeating: 0x61, count: 300_000)
    #expect(try chain.exchange("POST", body: body).json()["bodyBytes"].integer == 300_000)
    #expect(chain.backend.requests.count == 2)
  }

  @Test(
    "apps share a connection over TLS where they trust the same authorities and speak HTTP/1.1, and only there",
    arguments: [("http1", [1, 1, 2, 2]), ("h2", [1, 2, 3, 3])])
  func sharedTrust(applicationProtocol: String, connections: [Int]) throws {
    let backend = try ScriptedBackend()
    let far = try GatewayProcess(
      Chain.setup {
        $0.domain = "app0.localhost, app1.localhost, app2.localhost"
        $0.servers = ["http://127.0.0.1:\(backend.port)"]
      })
    let port = try #require(far.tlsPort)
    let tenants = ["certs/test.pem", "certs/test.pem", "certs/../certs/test.pem"].enumerated().map { index, path in
      var tenant = TenantFile(311 + index, "app\(index).localhost", bundleIDs: [], ports: [])
      tenant.servers = ["https://127.0.0.1:\(port)"]
      tenant.backendLines = ["ca: \(far.folder.path)/\(path)", "protocol: \(applicationProtocol)"]
      tenant.routes = ["{ path: /, backend: main, auth: none }"]
      return ("\(index).yaml", tenant.yaml)
    }
    let near = try GatewayProcess(
      GatewaySetup(
        keysURL: "http://127.0.0.1:9/", tenants: Dictionary(uniqueKeysWithValues: tenants), sections: ["loops": "1"]))
    for (app, connections) in zip([0, 1, 2, 1], connections) {
      #expect(try near.exchange(HTTPRequest("GET", "/", host: "app\(app).localhost")).status == 200)
      let metrics = try LoopbackConnection.exchange(
        port: near.adminPort, HTTPRequest("GET", "/metrics", host: "127.0.0.1"))
      #expect(metrics.text.contains("\nspeed_upstream_connections_total \(connections)\n"))
    }
  }

  @Test("a backend whose certificate does not hold gets no request, and the log says why")
  func refused() throws {
    let other = try TestCertificate(names: ["IP:127.0.0.1"])
    let folder = try TemporaryFolder()
    try folder.write("other.pem", other.certificate)
    for line in ["ca: \(folder.path("other.pem"))", "policy: roundRobin"] {
      let chain = try Chain(line)
      let answer = try chain.exchange()
      #expect(answer.status == 502 && answer.errorCode == "backend_unavailable")
      #expect(
        eventually {
          chain.near.log.contains("a backend can't be reached over TLS")
            && chain.near.log.contains("certificate verify failed: self-signed certificate")
        })
      #expect(chain.backend.requests.isEmpty)
    }
  }
}
