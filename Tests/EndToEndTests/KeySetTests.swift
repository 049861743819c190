import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults about Apple's key set, each with a gateway and a sandbox of its own.
@Suite("Apple's key set", .onEveryWire) struct KeySetTests {
  private let bundleID = "com.example.keys"

  private func gateway(_ sandbox: SandboxProcess, _ backend: ScriptedBackend) throws -> GatewayProcess {
    let tenant = TenantFile(301, "keys.localhost", bundleIDs: [bundleID], ports: [backend.port])
    return try GatewayProcess(GatewaySetup(keysURL: sandbox.keysURL, tenants: ["keys.yaml": tenant.yaml]))
  }

  private func signIn(_ gateway: GatewayProcess, _ sandbox: SandboxProcess, key: String? = nil) throws -> HTTPAnswer {
    try gateway.signIn(app: 301, try sandbox.token(TokenRequest(audience: bundleID, key: key)))
  }

  @Test("B22 a key that appears is found by one more fetch, and the next unknown one has to wait")
  func rotation() throws {
    let sandbox = try SandboxProcess()
    let gateway = try gateway(sandbox, try ScriptedBackend())
    #expect(try signIn(gateway, sandbox).status == 200)
    #expect(try sandbox.keyFetches() == 1)
    try sandbox.rotateKeys()
    #expect(try signIn(gateway, sandbox).status == 200)
    #expect(try sandbox.keyFetches() == 2)
    try sandbox.rotateKeys()
    #expect(try signIn(gateway, sandbox).status == 401)
    #expect(try sandbox.keyFetches() == 2)
  }

  @Test("B26 a flood of unknown key ids costs Apple one fetch")
  func flood() throws {
    let sandbox = try SandboxProcess()
    let gateway = try gateway(sandbox, try ScriptedBackend())
    #expect(try signIn(gateway, sandbox).status == 200)
    let good = try sandbox.token(TokenRequest(audience: bundleID))
    let parts = good.text.split(separator: ".")
    let statuses = try Parallel.run(20) { thread in
      let connection = try gateway.connect()
      defer { connection.close() }
      return try (0..<50).map { index in
        let header = JSON.object(["alg": "RS256", "kid": "unknown-\(thread)-\(index)"])
        let token = "\(Base64URL.encode(header.bytes)).\(parts[1]).\(parts[2])"
        return try connection.exchange(
          HTTPRequest(
            "POST", GatewayProcess.signInPath, host: "api.localhost",
            json: ["appId": 301, "identityToken": .string(token), "rawNonce": .string(good.rawNonce)])
        ).status
      }
    }
    #expect(statuses.allSatisfy { $0.allSatisfy { $0 == 401 } })
    #expect(try sandbox.keyFetches() <= 2)
    #expect(try gateway.signIn(app: 301, good).status == 200)
  }

  @Test("GW-105 a hundred first sign-ins at once share one fetch")
  func singleFlight() throws {
    let sandbox = try SandboxProcess()
    let gateway = try gateway(sandbox, try ScriptedBackend())
    let tokens = try (0..<100).map { _ in try sandbox.token(TokenRequest(audience: bundleID)) }
    let statuses = try Parallel.run(100) { try gateway.signIn(app: 301, tokens[$0]).status }
    #expect(statuses.allSatisfy { $0 == 200 })
    #expect(try sandbox.keyFetches() == 1)
  }

  @Test(
    "B25 an answer that is no key set is never kept, and the sign-in recovers",
    arguments: [SandboxProcess.KeyFailure.unavailable, .garbage, .truncated])
  func recovers(failure: SandboxProcess.KeyFailure) throws {
    let sandbox = try SandboxProcess()
    try sandbox.failKeys(failure)
    let gateway = try gateway(sandbox, try ScriptedBackend())
    let refused = try signIn(gateway, sandbox)
    #expect(refused.status == 503)
    #expect(refused.errorCode == "provider_unavailable")
    #expect(refused.fields["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    try sandbox.failKeys(.none)
    #expect(try eventually { try signIn(gateway, sandbox).status == 200 })
  }

  @Test("GW-89 Apple being away at the start stops nothing but sign-ins")
  func awayAtStart() throws {
    let sandbox = try SandboxProcess()
    try sandbox.failKeys(.slow)
    let backend = try ScriptedBackend()
    var tenant = TenantFile(301, "keys.localhost", bundleIDs: [bundleID], ports: [backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: sandbox.keysURL, tenants: ["keys.yaml": tenant.yaml]))
    let signIn = Parallel.start(1) { _ in
      let token = try sandbox.token(TokenRequest(audience: bundleID))
      return try gateway.signIn(app: 301, token).status
    }
    #expect(try gateway.exchange(HTTPRequest("GET", "/", host: "keys.localhost")).status == 200)
    #expect(try signIn.wait() == [503])
  }

  @Test("B23 the cached set serves on while Apple is away, and refuses what it does not know")
  func servesOn() throws {
    let sandbox = try SandboxProcess()
    let gateway = try gateway(sandbox, try ScriptedBackend())
    #expect(try signIn(gateway, sandbox).status == 200)
    try sandbox.failKeys(.unavailable)
    for _ in 0..<3 { #expect(try signIn(gateway, sandbox).status == 200) }
    #expect(try signIn(gateway, sandbox, key: "unknown").status == 401)
    #expect(try signIn(gateway, sandbox).status == 200)
  }
}
