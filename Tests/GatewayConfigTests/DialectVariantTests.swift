import Testing

@testable import GatewayConfig

/// Further variants of lines of the dialect's table, by their codes: what is one fault must not hide behind its form.
@Suite struct DialectVariantTests {
  private func codes(_ lines: String...) -> [ProblemCode] {
    let keys = lines.reduce(tenant()) { text, line in
      let key = line.prefix { $0 != ":" }
      let kept = text.split(separator: "\n").filter { !$0.hasPrefix("\(key):") }
      return (kept + [Substring(line)]).joined(separator: "\n") + "\n"
    }
    return problems(keys).filter(\.fails).map(\.code)
  }

  @Test(
    "An unknown key is one at every level",
    arguments: [
      "nope: 1", "ios: { bundleId: [com.a.b] }", "sessions: { lifetimes: 7d }", "cors: { origin: [https://a.example] }",
      "backends: { api: { server: [http://127.0.0.1:1], servers: [http://127.0.0.1:1] } }",
      "routes: [{ path: /, backend: api, Auth: none }]",
    ])
  func unknownKey(line: String) { #expect(codes(line).contains(.unknownKey)) }

  @Test(
    "GW-90 a key given twice is one at every level, whatever its quotes and its form",
    arguments: [
      "ios: { teamId: ABCDE12345, teamId: ABCDE12345 }", "sessions: { lifetime: 7d, \"lifetime\": 7d }",
      "sessions:\n  lifetime: 7d\n  'lifetime': 1d", "x-note: { a: 1, a: 2 }",
      "backends: { api: { servers: [http://127.0.0.1:1] }, api: { servers: [http://127.0.0.1:2] } }",
    ])
  func duplicateKey(line: String) { #expect(codes(line).contains(.duplicateKey)) }

  @Test(
    "A required key that is absent is missing at every level",
    arguments: [
      "routes: [{ backend: api }]", "routes: [{ path: / }]", "backends: { api: { retries: 1 } }",
      "cors: { credentials: false }", "ios: { signInKey: { env: KEY } }",
      "relay: { issuers: [{ issuer: https://a.example }] }",
    ])
  func missingKey(line: String) { #expect(codes(line).contains(.missingKey)) }

  @Test(
    "Any origin together with credentials is an error in every form",
    arguments: [
      "cors: { origins: [\"*\"], credentials: true }", "cors: { credentials: true, origins: ['*'] }",
      "cors:\n  origins:\n    - \"*\"\n  credentials: true",
      "cors: { origins: [\"*\", https://a.example], credentials: true }",
      "cors: { origins: [https://a.example, \"*\"], credentials: true }",
    ])
  func anyOrigin(line: String) { #expect(codes(line) == [.invalidValue]) }

  @Test(
    "A backend on a link-local address, or of a file, is an error",
    arguments: [
      "http://169.254.169.254", "http://169.254.0.1:80", "http://[fe80::1]:80", "https://[febf::1]",
      "http://[::ffff:169.254.169.254]", "file:///etc/passwd", "file:x",
    ])
  func linkLocal(server: String) {
    #expect(codes("backends: { api: { servers: [\"\(server)\"] } }").contains(.invalidValue))
  }

  @Test(
    "A quoted number or Boolean where a bare one is due is an error",
    arguments: [
      "appId: \"1\"", "appId: '1'", "methodOverride: \"true\"", "methodOverride: 'false'",
      "cors: { origins: [https://a.example], credentials: \"true\" }",
      "backends: { api: { servers: [http://127.0.0.1:1], retries: \"1\" } }",
    ])
  func quoted(line: String) { #expect(codes(line).contains(.invalidValue)) }

  @Test(
    "A route's backend that is not there is unknown",
    arguments: ["apl", "API", "api2", "\"main\"", "a.p-i"])
  func unknownBackend(name: String) {
    #expect(codes("routes: [{ path: /, backend: \(name) }]") == [.unknownBackend])
  }

  @Test(
    "A secret that is not there is a warning, and the file is used",
    arguments: [
      "serverKeys: [{ id: main, env: NOT_SET }]", "serverKeys: [{ id: main, file: nowhere }]",
      "ios: { teamId: ABCDE12345, signInKey: { id: KEY1234567, env: NOT_SET } }",
      "ios: { teamId: ABCDE12345, signInKey: { id: KEY1234567, file: no.p8 } }",
      "relay: { verifier: { url: https://a.example/v, secretEnv: NOT_SET } }",
      "relay: { verifier: { url: https://a.example/v, secretFile: nowhere } }",
    ])
  func secretMissing(line: String) {
    let file = read(tenant(line))
    #expect(file.problems.contains { $0.code == .secretMissing && $0.severity == .warning })
    #expect(file.configuration != nil)
  }

  @Test(
    "A bundle ID, a domain, a URL or a port that is none is an error",
    arguments: [
      "ios: { bundleIds: [1596750535] }", "ios: { bundleIds: [com.example.*] }", "ios: { bundleIds: [com] }",
      "ios: { bundleIds: [com..example] }", "ios: { bundleIds: [.com.example] }", "ios: { bundleIds: [com.example.] }",
      "domains: [a b]", "domains: [\"*.example\"]", "domains: [https://a.example]", "domains: [a.example:80]",
      "domains: [10.0.0.1]", "domains: [0x7f.0x1]", "redirects: [https://u:p@a.example/]",
      "backends: { api: { servers: [http://127.0.0.1:0] } }",
      "backends: { api: { servers: [http://127.0.0.1:65536] } }",
    ])
  func values(line: String) { #expect(codes(line).contains(.invalidValue)) }

  @Test(
    "GW-93 what is large or hostile is answered in 10 ms: an alias bomb, a line of a quarter of a MiB and 5,000 nodes",
    arguments: [
      "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "x-l: " + String(repeating: "a", count: 262_000),
      "x-l: [" + Array(repeating: "1", count: 4_960).joined(separator: ",") + "]",
    ])
  func bounded(line: String) {
    let text = tenant() + line + "\n"
    let best = (0..<5).map { _ in
      let start = threadNanoseconds
      _ = problems(text)
      return threadNanoseconds - start
    }.min()
    #expect(best ?? .max < (_isDebugAssertConfiguration() ? 200_000_000 : 10_000_000))
  }
}
