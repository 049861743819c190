import GatewayBase
import GatewayTesting
import Testing

/// The one gateway that most tests share, with its sandbox, its backend and apps for every purpose. Tests run on it
/// at once, so each uses names of its own and changes nothing that another sees.
struct Stage: Sendable {
  let sandbox: SandboxProcess
  let gateway: GatewayProcess
  /// Echoes every request.
  let backend: ScriptedBackend
  /// A good bearer of `App.alpha`.
  let bearer: String

  private static let result = Result { try Stage() }

  static func shared() throws -> Stage { try result.get() }

  private init() throws {
    sandbox = try SandboxProcess()
    backend = try ScriptedBackend()
    gateway = try GatewayProcess(
      GatewaySetup(keysURL: sandbox.keysURL, tenants: App.files(port: backend.port)))
    bearer = try gateway.bearer(
      app: App.alpha.id, try sandbox.token(TokenRequest(audience: App.alpha.bundleID)))
  }

  /// A good bearer of a user of its own.
  func freshBearer(_ app: App = .alpha) throws -> String {
    try gateway.bearer(app: app.id, try sandbox.token(TokenRequest(audience: app.bundleID)))
  }

  /// Sends a request as the signed-in user of `App.alpha`.
  func send(
    _ method: String = "GET", _ target: String, host: String = App.alpha.host,
    _ fields: [(name: String, value: String)] = [], body: [UInt8] = []
  ) throws -> HTTPAnswer {
    var request = HTTPRequest.authorized(method, target, host: host, bearer: bearer, body: body)
    request.fields += fields
    return try gateway.exchange(request)
  }
}

/// The apps of the shared gateway.
struct App: Sendable {
  let id: Int
  let host: String
  let bundleID: String

  /// What most tests use: a public, a protected, a small and a token-free route.
  static let alpha = App(id: 101, host: "alpha.localhost", bundleID: "com.example.alpha")
  /// Another app beside it.
  static let beta = App(id: 102, host: "beta.localhost", bundleID: "com.example.beta")
  /// No bundle ID.
  static let bare = App(id: 103, host: "bare.localhost", bundleID: "com.example.bare")
  /// Two apps with one bundle ID.
  static let twinA = App(id: 104, host: "twin-a.localhost", bundleID: "com.example.twin")
  static let twinB = App(id: 105, host: "twin-b.localhost", bundleID: "com.example.twin")
  /// Lists no provider.
  static let closed = App(id: 106, host: "closed.localhost", bundleID: "com.example.closed")
  /// `paths: opaque`.
  static let opaque = App(id: 107, host: "opaque.localhost", bundleID: "com.example.opaque")
  /// A domain outside ASCII; `methodOverride: true`; only `app` as `X-Speed-Request-From`.
  static let lax = App(id: 108, host: "xn--bcher-kva.example", bundleID: "com.example.lax")
  /// A team and two bundle IDs.
  static let team = App(id: 109, host: "team.localhost", bundleID: "com.example.team")
  /// Lets the pages of `https://web.example.com` call it, with credentials.
  static let web = App(id: 110, host: "web.localhost", bundleID: "com.example.web")

  static func files(port: UInt16) -> [String: String] {
    var alpha = TenantFile(alpha.id, alpha.host, bundleIDs: [alpha.bundleID], ports: [port])
    alpha.routes = [
      "{ path: /public/, backend: main, auth: none }",
      "{ path: /admin, backend: main, methods: [GET] }",
      "{ path: /small/, backend: main, maxBody: 1KiB }",
      "{ path: /tokenless/, backend: main, forwardToken: false }",
      "{ path: /health, backend: main, auth: none }",
      "{ path: /, backend: main, maxBody: 100MiB }",
    ]
    var bare = TenantFile(bare.id, bare.host, bundleIDs: [], ports: [port])
    bare.routes = ["{ path: /v1/, backend: main }"]
    var opaque = TenantFile(opaque.id, opaque.host, bundleIDs: [opaque.bundleID], ports: [port])
    opaque.lines = ["paths: opaque"]
    var lax = TenantFile(lax.id, "bücher.example", bundleIDs: [lax.bundleID], ports: [port])
    lax.lines = ["methodOverride: true", "requestFrom: [app]"]
    var team = TenantFile(team.id, team.host, bundleIDs: [team.bundleID, "com.example.team.two"], ports: [port])
    team.teamID = "ABCDE12345"
    var web = TenantFile(web.id, web.host, bundleIDs: [web.bundleID], ports: [port])
    web.lines = ["cors: { origins: [https://web.example.com], credentials: true }"]
    web.routes = [
      "{ path: /public/, backend: main, auth: none }", "{ path: /read, backend: main, methods: [GET, HEAD] }",
      "{ path: /, backend: main }",
    ]
    let plain = [beta, twinA, twinB].map { TenantFile($0.id, $0.host, bundleIDs: [$0.bundleID], ports: [port]) }
    let closedText = TenantFile(closed.id, closed.host, bundleIDs: [closed.bundleID], ports: [port]).yaml
      .replacing("providers: [apple-native]", with: "providers: []")
    let files = ([alpha, bare, opaque, lax, team, web] + plain).map { ("\($0.appID).yaml", $0.yaml) }
    return Dictionary(uniqueKeysWithValues: files + [("\(closed.id).yaml", closedText)])
  }
}
