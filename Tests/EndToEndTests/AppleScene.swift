import GatewayBase
import GatewayTesting

/// A sandbox and a gateway of a test's own, with apps that have a sign-in key: whatever fails there disturbs no other test.
struct AppleScene: Sendable {
  static let app = App(id: 301, host: "life.localhost", bundleID: "com.example.life")
  /// With two bundle IDs.
  static let pair = App(id: 302, host: "pair.localhost", bundleID: "com.example.pair")
  static let team = "ABCDE12345"
  static let servicesID = "com.example.life.web"

  let sandbox: SandboxProcess
  let gateway: GatewayProcess

  /// - Parameters:
  ///   - sections: keys that replace or complete the usual ones.
  ///   - lines: lines at the top level of `app`.
  init(sections: [String: String] = [:], lines: [String] = []) throws {
    sandbox = try SandboxProcess()
    let key = try sandbox.post("/sandbox/developer-key", [:])
    guard let id = key["keyId"].string, let text = key["privateKey"].string else {
      throw TestFailure("the sandbox makes no key")
    }
    let port = try Stage.shared().backend.port
    var app = TenantFile(Self.app.id, Self.app.host, bundleIDs: [Self.app.bundleID], ports: [port])
    var pair = TenantFile(
      Self.pair.id, Self.pair.host, bundleIDs: [Self.pair.bundleID, "\(Self.pair.bundleID).two"], ports: [port])
    let ios = ["signInKey: { id: \(id), env: APPLE_P8 }"]
    app.teamID = Self.team
    app.iosLines = ios + ["servicesId: \(Self.servicesID)", "urlSchemes: [com.example.life]"]
    app.lines = lines
    pair.teamID = Self.team
    pair.iosLines = ios
    var setup = GatewaySetup(
      keysURL: sandbox.keysURL, tenants: ["app.yaml": app.yaml, "pair.yaml": pair.yaml], sections: sections)
    setup.environment = ["APPLE_P8": text.replacing("\n", with: "\\n")]
    gateway = try GatewayProcess(setup)
  }

  /// A token of a user with an authorization code.
  func token(
    _ app: App = app, subject: String = TokenRequest.freshSubject(), audience: String? = nil
  ) throws -> IdentityToken {
    var request = TokenRequest(audience: audience ?? app.bundleID, subject: subject)
    request.wantsCode = true
    return try sandbox.token(request)
  }

  /// Signs in with a code, and waits until it has been exchanged.
  func signIn(_ app: App = app, subject: String = TokenRequest.freshSubject(), audience: String? = nil) throws -> JSON {
    let before = try count("token")
    let answer = try gateway.signInWithCode(app: app.id, try token(app, subject: subject, audience: audience))
    guard answer.status == 200 else { throw TestFailure("sign-in answers \(answer.status) \(answer.errorCode ?? "")") }
    guard try eventually({ try count("token") > before && waiting("follow-up") == 0 }) else {
      throw TestFailure("the code was not exchanged")
    }
    return try answer.json()
  }

  /// How often a service of Apple's was called.
  func count(_ door: String) throws -> Int { Int(try sandbox.get("/sandbox/counters")[door].integer ?? 0) }

  /// The calls of a service, oldest first.
  func calls(_ door: String) throws -> [JSON] {
    try sandbox.get("/sandbox/calls")["calls"].items.filter { $0["door"].string == door }
  }

  /// The refresh tokens that were given out, oldest first.
  func grants() throws -> [JSON] { try sandbox.get("/sandbox/grants")["grants"].items }

  func fail(_ failures: [String: JSON]) throws { _ = try sandbox.post("/sandbox/failures", .object(failures)) }

  /// What the admin listener tells of queued work.
  func jobs() throws -> JSON {
    try LoopbackConnection.exchange(
      port: gateway.adminPort, HTTPRequest("GET", "/jobs", host: "127.0.0.1:\(gateway.adminPort)")
    ).json()
  }

  /// How much work of a kind waits.
  func waiting(_ kind: String) throws -> Int {
    try jobs()["waiting"].items.filter { $0["kind"].string == kind }.reduce(0) { $0 + Int($1["count"].integer ?? 0) }
  }
}
