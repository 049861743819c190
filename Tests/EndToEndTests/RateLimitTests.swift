import GatewayBase
import GatewayTesting
import Testing

/// `rateLimit` of routes and `limits.signIns`, on the real command.
@Suite("Rate limits", .onEveryWire) struct RateLimitTests {
  private static let host = "rates.localhost"
  private static let bundle = "com.example.rates"
  private let backend: ScriptedBackend
  private let gateway: GatewayProcess
  private let sandbox: SandboxProcess

  init() throws {
    sandbox = try Stage.shared().sandbox
    backend = try ScriptedBackend()
    gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: sandbox.keysURL, tenants: ["rates.yaml": Self.tenant(port: backend.port)],
        sections: ["limits": "{ signIns: { requests: 4, per: 1h } }"]))
  }

  private static func tenant(port: UInt16, users: Int = 3) -> String {
    var tenant = TenantFile(203, host, bundleIDs: [bundle], ports: [port])
    tenant.routes = [
      "{ path: /user, backend: main, rateLimit: { requests: \(users), per: 1h } }",
      "{ path: /app, backend: main, rateLimit: { requests: 2, per: 1h, by: app } }",
      "{ path: /address, backend: main, auth: none, rateLimit: { requests: 2, per: 1h } }",
      "{ path: /, backend: main, auth: none }",
    ]
    return tenant.yaml
  }

  private func bearer() throws -> String {
    try gateway.bearer(app: 203, try sandbox.token(TokenRequest(audience: Self.bundle)))
  }

  private func get(_ target: String, _ bearer: String? = nil) throws -> HTTPAnswer {
    guard let bearer else { return try gateway.exchange(HTTPRequest("GET", target, host: Self.host)) }
    return try gateway.exchange(.authorized("GET", target, host: Self.host, bearer: bearer))
  }

  @Test("a user has his share, is told how he stands, and does not use up another's")
  func users() throws {
    let (ada, bob) = (try bearer(), try bearer())
    for left in (0..<3).reversed() {
      let answer = try get("/user/\(left)", ada)
      #expect(answer.status == 200)
      #expect(answer.fields["RateLimit"]?.hasPrefix("\"default\";r=\(left);t=") == true)
      #expect(answer.fields["RateLimit-Policy"] == "\"default\";q=3;w=3600")
    }
    let marker = Marker()
    let refused = try get("/user/\(marker)", ada)
    #expect(refused.status == 429 && refused.errorCode == "rate_limited")
    #expect(refused.fields["X-Speed-Error"] == "rate_limited")
    #expect((1...1200).contains(refused.fields["Retry-After"].flatMap { Int($0) } ?? 0))
    #expect(!backend.received("\(marker)"))
    #expect(try get("/user", bob).status == 200)
    #expect(try get("/", ada).fields["RateLimit"] == nil)
  }

  @Test("an app's users share what counts by app; a route without a token counts by address")
  func shared() throws {
    let (ada, bob) = (try bearer(), try bearer())
    #expect(try (get("/app", ada).status, get("/app", bob).status, get("/app", ada).status) == (200, 200, 429))
    #expect(try (get("/address").status, get("/address").status, get("/address").status) == (200, 200, 429))
    #expect(try get("/address", ada).status == 429, "a token makes no other caller of it")
  }

  @Test("a reload that leaves the rule as it is does not forget what was counted, and a new rule begins anew")
  func reload() throws {
    let ada = try bearer()
    for _ in 0..<3 { #expect(try get("/user", ada).status == 200) }
    #expect(try get("/user", ada).status == 429)
    try gateway.folder.write("tenants/rates.yaml", Self.tenant(port: backend.port) + "requestFrom: [app, web, kiosk]\n")
    let request = HTTPRequest(
      "GET", "/app", host: Self.host,
      fields: [("Authorization", "Bearer \(ada)"), ("X-Speed-Request-From", "kiosk")])
    #expect(try eventually { try gateway.exchange(request).status != 400 })
    #expect(try get("/user", ada).status == 429)
    try gateway.folder.write("tenants/rates.yaml", Self.tenant(port: backend.port, users: 4))
    #expect(try eventually { try get("/user", ada).status == 200 })
  }

  @Test("GW-105 an address has so many sign-ins, good or bad, and the answers of others stand")
  func signIns() throws {
    let ada = try bearer()
    for _ in 0..<3 { #expect(try gateway.signIn(["appId": .integer(203)]).status != 429) }
    let refused = try gateway.signIn(["appId": .integer(203)])
    #expect(refused.status == 429 && refused.errorCode == "rate_limited")
    #expect((1...900).contains(refused.fields["Retry-After"].flatMap { Int($0) } ?? 0))
    #expect(refused.fields["RateLimit-Policy"] == "\"default\";q=4;w=3600")
    #expect(try gateway.me(ada).status == 200, "who is signed in goes on")
    #expect(try get("/user", ada).status == 200)
  }
}
