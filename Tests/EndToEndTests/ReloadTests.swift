import GatewayTesting
import Testing

/// Tenant files that change while requests pass.
@Suite("Reload", .onEveryWire) struct ReloadTests {
  private let backend: ScriptedBackend
  private let gateway: GatewayProcess

  init() throws {
    backend = try ScriptedBackend()
    gateway = try GatewayProcess(
      GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: ["a.yaml": Self.file(1, "a.localhost", [backend.port])]))
  }

  private static func file(_ id: Int, _ host: String, _ ports: [UInt16]) -> String {
    var tenant = TenantFile(id, host, bundleIDs: [], ports: ports)
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    return tenant.yaml
  }

  private func status(_ host: String) throws -> Int {
    try gateway.exchange(HTTPRequest("GET", "/", host: host)).status
  }

  @Test("a file that appears, changes or goes is live soon, and the other app loses no request")
  func files() throws {
    let isDone = Monitor(false)
    let gateway = gateway
    let load = Parallel.start(1) { _ in
      while !isDone.current {
        let answer = try gateway.exchange(HTTPRequest("GET", "/", host: "a.localhost"))
        guard answer.status == 200 else { throw TestFailure("answered \(answer.status) during a reload") }
      }
    }
    #expect(try status("b.localhost") == 421)
    try gateway.folder.write("tenants/b.yaml", Self.file(2, "b.localhost", [backend.port]))
    #expect(try eventually { try status("b.localhost") == 200 })
    try gateway.folder.write("tenants/b.yaml", Self.file(2, "c.localhost", [backend.port]))
    #expect(try eventually { try status("c.localhost") == 200 && status("b.localhost") == 421 })
    #expect(try CommandResult.run(["rm", gateway.folder.path("tenants/b.yaml")]).exitCode == 0)
    #expect(try eventually { try status("c.localhost") == 421 })
    isDone.change { $0 = true }
    _ = try load.wait()
  }

  @Test("the session of an app that is gone is none, and one of an app whose folder is gone for a moment stays")
  func goneApp() throws {
    let sandbox = try SandboxProcess()
    let app = TenantFile(7, "gone.localhost", bundleIDs: ["com.example.gone"], ports: [backend.port])
    let gateway = try GatewayProcess(GatewaySetup(keysURL: sandbox.keysURL, tenants: ["7.yaml": app.yaml]))
    let bearer = try gateway.bearer(app: 7, try sandbox.token(TokenRequest(audience: "com.example.gone")))
    let (folder, other) = (gateway.folder.path("tenants"), gateway.folder.path("elsewhere"))
    #expect(try CommandResult.run(["mv", folder, other]).exitCode == 0)
    #expect(
      gateway.process.waitForLine {
        $0.contains("unreadable_file") && $0.contains("the folder can't be read") ? true : nil
      } == true)
    #expect(try gateway.me(bearer).status == 200)
    #expect(try CommandResult.run(["mv", other, folder]).exitCode == 0)
    #expect(try CommandResult.run(["rm", gateway.folder.path("tenants/7.yaml")]).exitCode == 0)
    #expect(try eventually { try gateway.me(bearer).status == 401 })
    #expect(try gateway.me(bearer).errorCode == "invalid_token")
    #expect(try gateway.signOut(bearer).status == 204)
  }

  @Test("SIGHUP reads the files at once")
  func hangUp() throws {
    try gateway.folder.write("tenants/b.yaml", Self.file(2, "b.localhost", [backend.port]))
    gateway.process.signal(1)
    #expect(try eventually { try status("b.localhost") == 200 })
    #expect(gateway.process.isRunning)
  }

  @Test("a file that does not check keeps its last good version running, and the log says why")
  func lastGood() throws {
    try gateway.folder.write("tenants/a.yaml", "appId: [")
    #expect(gateway.process.waitForLine { $0.contains("a.yaml") && $0.contains("invalid_yaml") ? true : nil } == true)
    #expect(try status("a.localhost") == 200)
    try gateway.folder.write("tenants/a.yaml", Self.file(1, "z.localhost", [backend.port]))
    #expect(try eventually { try status("z.localhost") == 200 })
  }
}
