import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy
import GatewayTesting
import ProviderKit
import Testing

@testable import GatewayPlugins
@testable import GatewayServer

/// A provider whose pages answer what a test says, and that remembers what it was asked.
final class ScriptedPages: Provider {
  let manifest = ProviderManifest(name: "pages", version: "1.0.0")
  let refusedCredential = ProviderFailure(status: 401, code: "refused", message: "Refused.", reason: "refused")

  private let script: Locked<@Sendable (PageRequest) throws(ProviderFailure) -> PageAnswer>
  private let seen = Locked<[PageRequest]>([])

  init() { script = Locked { _ in .page("<h1>A page</h1>") } }

  var requests: [PageRequest] { seen.withLock { $0 } }

  func answer(_ script: @escaping @Sendable (PageRequest) throws(ProviderFailure) -> PageAnswer) {
    self.script.withLock { $0 = script }
  }

  func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity { throw refusedCredential }

  func respond(
    to request: PageRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> PageAnswer {
    seen.withLock { $0.append(request) }
    return try script.withLock { $0 }(request)
  }
}

/// A gateway whose only plugin is a scripted one with pages, and a browser in front of it.
struct PageStage {
  static let target = "com.example.notes://speed-auth"
  /// RFC 7636, appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let path = "/platform/pages"

  let folder = try! TemporaryFolder()
  let provider = ScriptedPages()
  let gateway: RunningGateway
  let pages: Pages
  let api: PlatformAPI

  init(publicURL: String = "https://api.example.com", limits: String = "{}", logo: String? = nil, lines: [String] = [])
    async throws
  {
    var tenant = GatewayTesting.TenantFile(1, "notes.example.com, notes.localhost", bundleIDs: [], ports: [9])
    tenant.iosLines = ["urlSchemes: [com.example.notes]"]
    tenant.lines = lines + (logo.map { ["logo: \($0)"] } ?? [])
    try folder.write("tenants/a.yaml", tenant.yaml.replacing("[apple-native]", with: "[pages]"))
    try folder.write("tenants/b.yaml", yaml(2, "other.example.com"))
    try folder.write("tenants/logo.svg", Array("<svg/>".utf8))
    try folder.write("tenants/large.svg", [UInt8](repeating: 0x20, count: Limits.logo + 1))
    let configuration = try GatewayServerTests.gateway(
      """
      platform: { apiHosts: [api.example.com], dashHosts: [dash.example.com], publicUrl: "\(publicURL)" }
      store: { url: "sqlite:\(folder.path("gateway.db"))" }
      tenants: \(folder.path("tenants"))
      plugins: \(folder.path("plugins"))
      tokens: { keys: \(folder.path("keys")), sealingKeys: \(folder.path("sealing")) }
      limits: \(limits)
      loops: 1
      """)
    gateway = try await RunningGateway(
      configuration, environment: [:], release: "test", logger: Logger(level: .error))
    let routes = ["GET", "POST"].map { PluginRoute(method: $0, path: Self.path, purpose: .pages) }
    let plugin = Plugin(
      name: "pages", version: "1.0.0", routes: routes, settings: nil, sendsMail: false, abi: nil,
      state: .loaded(provider))
    let state = PlatformState(
      directory: gateway.state.directory, plugins: PluginCatalog([plugin]))
    pages = Pages(state: state, webSignIns: gateway.pages.webSignIns, pages: gateway.pages.pages)
    api = gateway.platform
  }

  static func query(
    app: String? = "1", redirect: String? = target, _ more: [(String, String)] = []
  ) -> String {
    let fields = [app.map { ("appId", $0) }, redirect.map { ("redirect", $0) }].compactMap { $0 } + more
    return fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
  }

  func send(
    _ method: HTTPMethod = .get, query: String? = query(), fields: [(String, String)] = [], body: String = "",
    host: String = "dash.example.com", port: UInt16? = nil, isSecure: Bool = true, path: String = path
  ) async -> ServiceResponse {
    await pages.respond(
      to: ServiceRequest(
        method: method, methodText: "\(method.name)", host: host, path: path, query: query,
        fields: fields.map { ServiceField($0.0, $0.1) }, body: Array(body.utf8), address: .v4(0xC633_6401),
        requestID: "r-1", port: port, isSecure: isSecure))
  }

  /// The cookie of a browser that was here before, and the token of its forms.
  func browser() async throws -> (cookie: String, token: String) {
    let response = await send()
    let cookie = try #require(response.value(of: "Set-Cookie")).prefix { $0 != ";" }
    return (String(cookie), try #require(provider.requests.last).formToken)
  }

  /// Posts a form as a browser does from a page that it was shown.
  func post(
    query: String? = query(), _ form: String = "a=1", fields: [(String, String)]? = nil
  ) async throws -> ServiceResponse {
    let (cookie, token) = try await browser()
    return await send(
      .post, query: query,
      fields: [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")]
        + (fields ?? [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]),
      body: "\(form)&form_token=\(token)")
  }

  /// Signs somebody in with the scripted provider.
  func finish(_ query: String = query(), subject: String = "ada") async -> ServiceResponse {
    provider.answer { _ in
      PageAnswer(
        .finished(
          .identity(
            VerifiedIdentity(
              issuer: "pages", subject: subject, email: "\(subject)@example.org", emailVerified: true, fullName: "Ada",
              replayKeys: [], isShared: true))))
    }
    return await send(query: query)
  }

  func exchange(_ body: String) async -> ServiceResponse {
    await api.respond(
      to: ServiceRequest(
        method: .post, methodText: "POST", host: "api.example.com", path: "/api/platform/auth/exchange", query: nil,
        fields: [], body: Array(body.utf8), address: .v4(0xC633_6401), requestID: "r-2"))
  }
}

extension ServiceResponse {
  /// The fields of the query where the browser is sent to.
  var brought: FormFields? {
    value(of: "Location").flatMap { FormFields($0.drop { $0 != "?" }.dropFirst().utf8) }
  }
}
