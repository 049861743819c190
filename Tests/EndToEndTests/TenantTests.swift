import Foundation
import GatewayTesting
import Testing

/// A day of an admin, seen from outside: files that change, their state, and who had what first.
@Suite("Tenants", .onEveryWire) struct TenantTests {
  private func file(_ id: Int, _ host: String, _ backend: ScriptedBackend, bundleIDs: [String] = []) -> String {
    var tenant = TenantFile(id, host, bundleIDs: bundleIDs, ports: [backend.port])
    tenant.routes = ["{ path: /public/, backend: main, auth: none }", "{ path: /, backend: main }"]
    return tenant.yaml
  }

  private func status(_ gateway: GatewayProcess, _ host: String) throws -> Int {
    try gateway.exchange(HTTPRequest("GET", "/public/", host: host)).status
  }

  @Test("the admin listener tells each file's state, since when, and why not, and selects by state")
  func list() throws {
    let backend = try ScriptedBackend()
    let gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: "http://127.0.0.1:9/",
        tenants: [
          "a.yaml": file(1, "a.localhost", backend), "b.yaml": "appId: [", "c.yaml": file(3, "c.localhost", backend),
        ]))
    try gateway.folder.write("tenants/c.yaml", file(3, "c.localhost", backend) + "nope: 1\n")
    func ask(_ query: String) throws -> HTTPAnswer {
      try LoopbackConnection.exchange(
        port: gateway.adminPort, HTTPRequest("GET", "/tenants\(query)", host: "127.0.0.1:\(gateway.adminPort)"))
    }
    func tenants(_ query: String) throws -> JSON { try ask(query).json() }
    #expect(try eventually { try tenants("")["files"]["stale"] == 1 })
    let all = try tenants("")
    #expect(all["files"]["ok"] == 1 && all["files"]["refused"] == 1)
    #expect(all["tenants"].items.map { $0["state"].string } == ["ok", "refused", "stale"])
    let stale = try tenants("?state=stale")["tenants"][0]
    #expect(stale["app"] == 3 && stale["file"].string?.hasSuffix("tenants/c.yaml") == true)
    #expect(stale["since"].string?.hasSuffix("Z") == true)
    #expect(stale["problems"][0]["code"] == "unknown_key" && (stale["problems"][0]["line"].integer ?? 0) > 5)
    #expect(try ask("?state=good").status == 400)
    let page = try tenants("?limit=1")
    #expect(page["tenants"].items.count == 1 && page["next"].string?.hasSuffix("a.yaml") == true)
  }

  @Test("a bundle ID in two apps answers 403 on both until one file drops it, and works a second later")
  func conflict() throws {
    let (sandbox, backend) = (try SandboxProcess(), try ScriptedBackend())
    let gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: sandbox.keysURL,
        tenants: ["a.yaml": file(1, "a.localhost", backend, bundleIDs: ["com.example.both"])]))
    func signIn(_ app: Int) throws -> Int {
      try gateway.signIn(app: app, try sandbox.token(TokenRequest(audience: "com.example.both"))).status
    }
    #expect(try signIn(1) == 200)
    try gateway.folder.write("tenants/b.yaml", file(2, "b.localhost", backend, bundleIDs: ["com.example.both"]))
    #expect(try eventually { try signIn(1) == 403 && signIn(2) == 403 })
    try gateway.folder.write("tenants/a.yaml", file(1, "a.localhost", backend))
    let begun = ContinuousClock.now
    #expect(try eventually { try signIn(2) == 200 })
    #expect(ContinuousClock.now - begun < .seconds(1))
  }

  @Test("the app that had a domain first keeps it when the gateway starts again, whatever the order of files")
  func restart() throws {
    let backend = try ScriptedBackend()
    let setup = GatewaySetup(
      keysURL: "http://127.0.0.1:9/", tenants: ["m.yaml": file(7, "shared.localhost", backend)])
    let gateway = try GatewayProcess(setup)
    gateway.process.signal(15)
    #expect(gateway.process.waitForEnd() != nil)
    try gateway.folder.write("tenants/a.yaml", file(2, "shared.localhost", backend))
    try gateway.start()
    #expect(try status(gateway, "shared.localhost") == 200)
    #expect(backend.requests.last?.fields["X-Speed-App-Id"] == "7")
  }

  @Test("diff and explain know from the store which app had a domain first")
  func remembered() throws {
    let backend = try ScriptedBackend()
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: "http://127.0.0.1:9/", tenants: ["m.yaml": file(7, "shared.localhost", backend)]))
    try gateway.folder.write("tenants/a.yaml", file(2, "shared.localhost", backend))
    try gateway.folder.write("next/a.yaml", file(2, "shared.localhost", backend))
    func explained() throws -> JSON {
      let result = try gateway.command("explain", "GET", "http://shared.localhost/public/", "--format", "json")
      return try JSON(parsing: Array(result.standardOutput.utf8))
    }
    // By the order of files it would be app 2. The gateway tells the store within a second.
    #expect(try eventually { try explained()["app"]["id"] == 7 })
    #expect(try explained()["claimsUnknown"] == .null)
    let result = try gateway.command("diff", gateway.folder.path("next"), "--format", "json")
    let move = try JSON(parsing: Array(result.standardOutput.utf8))["moves"][0]
    #expect(move["from"] == 7 && move["to"] == 2)
  }
}
