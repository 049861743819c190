import Foundation
import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct TenantFileTests {
  private let environment = ["NOTES_VERIFIER": "v", "NOTES_SERVER_KEY": "k"]

  @Test("Every key of the contract's example is read and typed")
  func fullExample() throws {
    let file = read(fullTenant, path: "tenants/notes.yaml", environment: environment)
    #expect(file.problems.errors.isEmpty)
    let tenant = try #require(file.configuration)
    #expect(tenant.appID == 123 && tenant.name == "Notes" && tenant.owner == "owner@example.com")
    #expect(tenant.domains.map(\.description) == ["notes.spdso.app", "notes.localhost"])
    #expect(
      tenant.ios
        == IOSConfiguration(
          bundleIDs: ["com.example.notes"], urlSchemes: ["notesapp"], teamID: "ABCDE12345",
          signInKey: SignInKey(id: "KEY1234567", source: .file("tenants/secrets/notes.p8")),
          servicesID: "com.example.notes.web"))
    #expect(tenant.redirects.map(\.description) == ["https://notes.example.com/signed-in"])
    #expect(tenant.providers == ["apple-native", "speed-web", "relay"])
    #expect(tenant.relay?.issuers.first?.issuer.description == "https://securetoken.google.com/notes")
    #expect(tenant.relay?.issuers.first?.audience == "notes")
    #expect(tenant.relay?.verifier?.secret == .environment("NOTES_VERIFIER"))
    #expect(tenant.sessions == SessionConfiguration(lifetime: .days(7), refresh: false))
    #expect(tenant.usage.source == .local)
    #expect(tenant.serverKeys == [ServerKey(id: "main", source: .environment("NOTES_SERVER_KEY"))])
    #expect(tenant.cors == CORSConfiguration(origins: .listed(["https://notes.example.com"]), credentials: false))
    #expect(tenant.requestFrom == ["app", "web"])
    try checkProxy(of: tenant)
  }

  private func checkProxy(of tenant: TenantConfiguration) throws {
    let backend = try #require(tenant.backends.first)
    #expect(backend.name == "api" && backend.policy == .leastRequests && backend.retries == 1)
    #expect(backend.servers.map(\.description) == ["http://127.0.0.1:9001", "http://127.0.0.1:9002"])
    #expect(backend.health == BackendConfiguration.Health(path: "/healthz", interval: .seconds(5)))
    #expect(backend.timeouts == BackendConfiguration.Timeouts())
    #expect(
      tenant.routes == [
        RouteConfiguration(
          path: "/public/", backend: 0, auth: .none, methods: nil, maxBody: .mebibytes(10), forwardToken: true,
          units: 0,
          rateLimit: nil),
        RouteConfiguration(
          path: "/v1/generate", backend: 0, auth: .required, methods: nil, maxBody: .mebibytes(10), forwardToken: true,
          units: 5, rateLimit: RateLimit(requests: 10, per: .seconds(1), by: .user)),
        RouteConfiguration(
          path: "/", backend: 0, auth: .required, methods: ["GET", "POST"], maxBody: .mebibytes(10), forwardToken: true,
          units: 0, rateLimit: nil),
      ])
  }

  @Test("Only five keys are required, and the defaults of the rest are safe")
  func defaults() throws {
    let file = read(tenant())
    #expect(file.problems.isEmpty)
    let tenant = try #require(file.configuration)
    #expect(tenant.routes.first?.auth == .required)
    #expect(tenant.requestFrom == ["app", "web"])
    #expect(tenant.providers.isEmpty && tenant.cors == nil && tenant.ios == IOSConfiguration())
    #expect(tenant.paths == .canonical && !tenant.methodOverride && tenant.onClientGone == .cancel)
    #expect(tenant.sessions.lifetime == .days(7) && tenant.usage.source == .none)
    let backend = try #require(tenant.backends.first)
    #expect(backend.policy == .roundRobin && backend.retries == 1 && backend.health == nil)
    #expect(backend.applicationProtocol == .http1 && backend.authorities == nil && backend.maxConcurrent == 10_000)
    #expect(backend.ejection == BackendConfiguration.Ejection(failures: 5, duration: .seconds(10)))
    #expect(backend.slowStart == .seconds(10))
  }

  @Test("Every key of a backend is read")
  func backendKeys() throws {
    let text = tenant(
      "backends: { api: { servers: [unix:run/app.sock], protocol: http1, policy: leastRequests, slowStart: 0s, "
        + "health: { path: /h, interval: 1s, timeout: 300ms, passes: 4, failures: 7 }, maxConcurrent: 9, "
        + "ejection: { failures: 0, duration: 1m } } }")
    let file = read(text, path: "apps/t.yaml")
    #expect(file.problems.isEmpty)
    let backend = try #require(file.configuration?.backends.first)
    #expect(backend.servers == [.unix(path: "apps/run/app.sock")])
    #expect(
      backend.health
        == BackendConfiguration.Health(
          path: "/h", interval: .seconds(1), timeout: Milliseconds(300), passes: 4, failures: 7))
    #expect(backend.ejection == BackendConfiguration.Ejection(failures: 0, duration: .minutes(1)))
    #expect(backend.slowStart == .seconds(0) && backend.maxConcurrent == 9 && backend.policy == .leastRequests)
  }

  @Test("The path of a Unix socket is what the system has room for, and is a path")
  func socketPaths() {
    let fits = "/" + String(repeating: "a", count: 106)
    func brief(_ server: String) -> [String] { problems(tenant("backends: { api: { servers: [\(server)] } }")).brief }
    #expect(brief("\"unix:\(fits)\"").isEmpty)
    #expect(brief("\"unix:\(fits)a\"") == ["4:30 error invalid_value"])
    for server in ["\"unix:\"", "\"unix:///run/app.sock\"", "unix:/run/", "\"unix:/a\\0b\""] {
      #expect(brief(server) == ["4:30 error invalid_value"], "\(server)")
    }
    // Relative to the file's folder, whose name counts.
    let deep = read(
      tenant("backends: { api: { servers: [unix:app.sock] } }"),
      path: "/" + String(repeating: "d/", count: 60) + "t.yaml")
    #expect(deep.problems.brief == ["4:30 error invalid_value"])
  }

  @Test(
    "A key that does nothing yet says so with a warning, and the file is used",
    arguments: [("owner: owner@example.com", "6:1"), ("routes: [{ path: /, backend: api, units: 5 }]", "5:35")])
  func notYetActive(line: String, place: String) {
    let file = read(tenant(line))
    #expect(file.problems.brief == ["\(place) warning not_yet_active"])
    #expect(file.configuration != nil)
  }

  @Test("A secret that is not there is a warning at its name")
  func secretMissing() {
    let file = read(tenant("serverKeys: [{ id: main, env: NOTES_SERVER_KEY }, { id: old, file: gone/key }]"))
    #expect(
      file.problems.filter { $0.code == .secretMissing }.brief == [
        "6:31 warning secret_missing", "6:68 warning secret_missing",
      ])
    #expect(file.configuration != nil)
    #expect(
      read(tenant("serverKeys: [{ id: main, env: NOTES_SERVER_KEY }]"), environment: environment)
        .problems.isEmpty)
  }

  @Test("A logo that can't be shown is a warning, and a file that is no picture an error")
  func logo() throws {
    for (line, problem) in [
      ("logo: gone.svg", "warning unusable_logo"), ("logo: notes.gif", "error invalid_value"),
      ("logo: svg", "error invalid_value"), ("logo: https://x.example/a.svg", "error invalid_value"),
    ] {
      #expect(read(tenant(line)).problems.brief == ["6:7 \(problem)"])
    }
    let folder = try TemporaryFolder()
    for (name, count, isGood) in [
      ("a.svg", 1, true), ("b.PNG", Limits.logo, true), ("c.webp", Limits.logo + 1, false), ("d.jpg", 0, false),
    ] {
      try folder.write(name, String(repeating: "x", count: count))
      let file = TenantFile.read(
        "\(folder.path)/app.yaml", bytes: Array(tenant("logo: \(name)").utf8), environment: [:])
      #expect(file.problems.map(\.code) == (isGood ? [] : [.unusableLogo]))
      #expect(file.configuration?.logo?.bytes()?.count == (isGood ? count : nil))
    }
  }

  @Test("A secret has one place")
  func secretNamedTwice() {
    #expect(
      problems(tenant("serverKeys: [{ id: main, env: A, file: b }]")).errors.brief == ["6:40 error invalid_value"])
  }

  @Test(
    "B15 what Apple would never write as an audience is no bundle ID",
    arguments: [
      "\"1596750535\"", "1596750535", "com.example.*", "\"*\"", "com..example", ".com.example", "com.example.", "com",
      "com.example notes", "com_example.notes", "1.2", "bücher.example",
    ])
  func bundleID(text: String) {
    #expect(problems(tenant("ios: { bundleIds: [\(text)] }")).brief == ["6:20 error invalid_value"])
  }

  @Test("A bundle ID may have digits, hyphens and capitals")
  func goodBundleIDs() {
    #expect(problems(tenant("ios: { bundleIds: [com.Example-1.notes, 1a.b] }")).isEmpty)
  }

  @Test(
    "B67 schemes with a meaning of their own are reserved, whatever their case",
    arguments: [
      "http", "https", "javascript", "data", "file", "blob", "intent", "about", "mailto", "tel", "JaVaScRiPt", "HTTPS",
      "vbscript", "\"javascript:\"", "\"https://\"",
    ])
  func reservedScheme(text: String) {
    #expect(problems(tenant("ios: { urlSchemes: [\(text)] }")).errors.brief == ["6:21 error reserved_scheme"])
  }

  @Test(
    "B59 a scheme is what RFC 3986 says, with nothing before or behind",
    arguments: [
      "\" javascript\"", "\"java\\nscript\"", "\"%09javascript\"", "1app", "-app", "my_app", "\"notesapp://\"",
      "app:cb", "nötes",
    ])
  func schemeGrammar(text: String) {
    #expect(problems(tenant("ios: { urlSchemes: [\(text)] }")).errors.brief == ["6:21 error invalid_value"])
  }

  @Test("GW-97 a scheme is kept in lower case; one without a dot is a warning")
  func schemeForm() {
    let file = read(tenant("ios: { urlSchemes: [com.acme.App] }"))
    #expect(file.configuration?.ios.urlSchemes == ["com.acme.app"])
    #expect(!file.problems.contains { $0.code == .weakScheme })
    #expect(problems(tenant("ios: { urlSchemes: [notesapp] }")).brief.contains("6:21 warning weak_scheme"))
    #expect(problems(tenant("ios: { urlSchemes: [a.b, A.B] }")).errors.brief == ["6:26 error invalid_value"])
  }

  @Test(
    "What is listed twice is an error that names both lines",
    arguments: [
      ("domains: [a.example, A.EXAMPLE.]", "duplicate_domain"), ("providers: [a, a]", "invalid_value"),
      ("requestFrom: [app, app]", "invalid_value"), ("ios: { bundleIds: [a.b, a.b] }", "invalid_value"),
      ("serverKeys: [{ id: a, env: A }, { id: a, env: B }]", "invalid_value"),
      ("routes: [{ path: /, backend: api }, { path: /, backend: api }]", "invalid_value"),
      ("backends: { api: { servers: [http://a.example, http://A.example:80/] } }", "invalid_value"),
    ])
  func repeated(line: String, code: String) {
    let found = problems(tenant(line)).errors
    #expect(found.map(\.code.rawValue) == [code])
    #expect(found.first?.message.contains("twice") == true)
  }

  @Test("An opaque tenant can't have rules by path")
  func opaquePaths() {
    #expect(read(tenant("paths: opaque")).configuration?.paths == .opaque)
    let routes = "routes: [{ path: /, backend: api }, { path: /a, backend: api }]"
    #expect(problems(tenant("paths: opaque", routes)).brief == ["5:45 error invalid_value"])
  }

  @Test(
    "An email address that is none is not quoted",
    arguments: ["jane", "jane@", "\"@a\"", "a@b@c", "\"Jane <jane@example.com>\""])
  func owner(text: String) {
    let found = problems(tenant("owner: \(text)")).errors
    #expect(found.brief == ["6:8 error invalid_value"])
    #expect(found.first?.message.contains("jane") == false)
  }

  @Test("A file that can't be read is a problem of that file, a folder and a pipe too")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let made = unsafe mkfifo(folder.path + "/pipe.yaml", 0o600)
    try #require(made == 0)
    for path in ["/gone.yaml", "", "/pipe.yaml"].map({ folder.path + $0 }) {
      #expect(TenantFile.read(path, environment: [:]).problems.brief == ["1:1 error unreadable_file"])
    }
  }

  @Test("No mutation of a good file crashes the reader")
  func mutations() {
    var generator = Seeded(state: 42)
    let original = Array(fullTenant.utf8)
    let pool = Array("{}[]&*!%@`'\"|>?:-,#~<\n\t \\\u{0}0x1_e.".utf8) + [0xC3, 0xFF, 0xE2]
    for _ in 0..<1000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = pool.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(pool.randomElement(using: &generator) ?? 0, at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...30, using: &generator)))
        }
      }
      let file = TenantFile.read("t.yaml", bytes: bytes, environment: [:])
      #expect((file.configuration == nil) == file.problems.contains { $0.severity == .error })
    }
  }
}

private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
