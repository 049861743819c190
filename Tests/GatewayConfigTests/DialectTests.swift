import GatewayBase
import Testing

@testable import GatewayConfig

/// Each line of the dialect's table in several variants, with exact places.
@Suite struct DialectTests {
  @Test(
    "An unknown key is an error that names the nearest known one",
    arguments: [
      ("redirect: []", "did you mean `redirects`?"), ("Domains: [a.example]", "did you mean `domains`?"),
      ("provdiers: []", "did you mean `providers`?"), ("sesions: {}", "did you mean `sessions`?"),
    ])
  func unknownKey(line: String, hint: String) {
    let found = problems(tenant() + line)
    #expect(found.brief == ["6:1 error unknown_key"])
    #expect(found.first?.hint == hint)
  }

  @Test("An unknown key that is near none lists what is known")
  func unknownKeyFarFromAll() {
    let found = problems(tenant("routes: [{ path: /, backend: api, zzzzzzzz: 1 }]"))
    #expect(found.brief == ["5:35 error unknown_key"])
    #expect(found.first?.hint?.contains("path, backend, auth") == true)
  }

  @Test(
    "An unknown key is repeated where it is a name: a link may have led to a file of secrets",
    arguments: [("motto", true), ("jane:$6$5ALT$h4Sh:19000:0:99999:7::", false), ("\"a b\"", false)])
  func repeatedKey(key: String, isRepeated: Bool) {
    let found = problems(tenant() + "\(key): x")
    #expect(found.brief == ["6:1 error unknown_key"])
    #expect(found.first?.message == "a tenant has no \(isRepeated ? "key `\(key)`" : "such key")")
  }

  @Test("Keys that begin with x- are notes and pass, at every level")
  func notes() {
    let yaml = tenant(
      "x-note: anything", "backends: { x-a: 1, api: { servers: [http://127.0.0.1:9001], x-b: [1, 2] } }",
      "routes: [{ path: /, backend: api, x-c: { d: e } }]")
    #expect(problems(yaml).isEmpty)
  }

  @Test(
    "GW-90 a key given twice is an error that names both lines",
    arguments: [
      ("name: Again", "6:1"), ("\"name\": Again", "6:1"), ("'name': Again", "6:1"), ("? name\n: Again", "6:3"),
    ])
  func duplicateKey(line: String, place: String) {
    let found = problems(tenant() + line)
    #expect(found.brief == ["\(place) error duplicate_key"])
    #expect(found.first?.message == "the key `name` is given twice, on line 2 and line 6")
  }

  @Test("A key given twice inside a flow mapping is an error at the second")
  func duplicateNestedKey() {
    #expect(problems(tenant("routes: [{ path: /, backend: api, path: /b }]")).brief == ["5:35 error duplicate_key"])
  }

  @Test(
    "GW-94 anchors, aliases, merge keys, tags, directives and second documents are refused at their place",
    arguments: [
      ("name: &a Notes", "2:7"), ("name: *a", "2:7"), ("<<: { a: b }", "6:1"), ("<<: *a", "6:1"),
      ("name: !!str Notes", "2:7"), ("name: !custom Notes", "2:7"), ("name: ! Notes", "2:7"),
      ("domains: &d [a.example]", "3:10"), ("domains: !!seq [a.example]", "3:10"),
      ("sessions: &s { lifetime: 7d }", "6:11"),
      ("sessions: !!map {}", "6:11"), ("---\nname: Again", "6:1"), ("...\n---\nname: Again", "7:1"),
      ("%YAML 1.1", "6:1"), ("? [a, b]\n: c", "6:3"), ("? { a: b }\n: c", "6:3"),
    ])
  func unsupported(line: String, place: String) {
    let found = problems(tenant(line))
    #expect(found.first?.brief == "\(place) error unsupported_yaml")
    #expect(found.allSatisfy { $0.code == .unsupportedYAML })
  }

  @Test(
    "A directive at the head is refused, whatever its version or name",
    arguments: [
      "%YAML 1.1\n---\n", "%YAML 9.9\n---\n", "%TAG ! tag:example.com,2000:\n---\n", "%WHAT ever\n---\n",
    ])
  func directive(head: String) {
    #expect(problems(head + tenant()).brief == ["1:1 error unsupported_yaml"])
  }

  @Test("A first document may be marked as such")
  func documentMarks() { #expect(problems("---\n" + tenant() + "...\n").isEmpty) }

  @Test("All that is unsupported is told at once")
  func allUnsupported() {
    #expect(
      problems("a: &a 1\nb: *a\n<<: *a\n").brief == [
        "1:4 error unsupported_yaml", "2:4 error unsupported_yaml", "3:1 error unsupported_yaml",
        "3:5 error unsupported_yaml",
      ])
  }

  @Test("GW-93 an alias bomb is refused in under 10 ms, also as a key", arguments: [false, true])
  func aliasBomb(asKey: Bool) {
    var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      yaml += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
    }
    if asKey { yaml += "? *a9\n: x\n" }
    var best = UInt64.max
    for _ in 0..<5 {
      let start = threadNanoseconds
      let found = problems(yaml)
      best = min(best, threadNanoseconds - start)
      #expect(found.allSatisfy { $0.code == .unsupportedYAML } && !found.isEmpty)
    }
    #expect(best < 10_000_000)
  }

  @Test(
    "A Boolean is true or false, bare",
    arguments: ["yes", "no", "on", "off", "True", "FALSE", "y", "1", "\"true\"", "'false'"])
  func boolean(text: String) {
    let found = problems(tenant("methodOverride: \(text)"))
    #expect(found.brief == ["6:17 error invalid_value"])
    #expect(found.first?.hint?.hasPrefix("write true or false") == true)
  }

  @Test(
    "GW-91 a number that is no plain decimal is an error at its column, with the plain decimal",
    arguments: [
      ("0123", "write 123"), ("8_080", "write 8080"), ("1:30", "write 90"), ("0x50", "write 80"), ("80.0", "write 80"),
      ("1e3", "write 1000"), ("+5", "write 5"), ("0o17", "write 15"), ("007", "write 7"), ("08", "write 8"),
      ("-01", "write -1"), ("1.5", "write a plain decimal such as 80"), (".inf", "write a plain decimal such as 80"),
      ("12a", "write a plain decimal such as 80"), ("１２", "write a plain decimal such as 80"),
      ("9_9_9", "write 999"), ("1e999", "write a plain decimal such as 80"),
    ])
  func integer(text: String, hint: String) {
    let found = problems(tenant("appId: \(text)"))
    #expect(found.brief == ["1:8 error invalid_value"])
    #expect(found.first?.hint == hint)
  }

  @Test(
    "A number in quotes, out of range or of another kind is an error",
    arguments: [
      "\"123\"", "'123'", "0", "-5", "9007199254740992", "99999999999999999999999", "[1]", "{ a: 1 }", "|\n  123",
    ])
  func integerOfWrongForm(text: String) {
    #expect(problems(tenant("appId: \(text)")).first?.brief == "1:8 error invalid_value")
  }

  @Test(
    "A text is what is written, whatever YAML would guess",
    arguments: [
      ("1.0", "1.0"), ("2026-01-01", "2026-01-01"), ("true", "true"), ("0x10", "0x10"), ("'~'", "~"),
      ("\"null\"", "null"),
      ("no", "no"), (".nan", ".nan"), ("1_000", "1_000"),
    ])
  func text(written: String, value: String) {
    let file = read(tenant("name: \(written)"))
    #expect(file.problems.isEmpty)
    #expect(file.configuration?.name == value)
  }

  @Test(
    "Empty, ~ and null are no value",
    arguments: [
      ("", "2:1"), ("~", "2:7"), ("null", "2:7"), ("Null", "2:7"), ("\"\"", "2:7"), ("'  '", "2:7"), ("# note", "2:1"),
    ])
  func emptyText(written: String, place: String) {
    #expect(problems(tenant("name: \(written)")).brief == ["\(place) error empty_value"])
  }

  @Test(
    "Empty values of other types are no value either",
    arguments: [
      "domains:", "domains: []", "domains: ~", "ios:", "ios: null", "backends: {}", "routes: []", "methodOverride:",
      "sessions: ~",
      "requestFrom: []", "appId:",
    ])
  func emptyValue(line: String) {
    #expect(problems(tenant(line)).first?.code == .emptyValue)
  }

  @Test(
    "Tabs, NUL, byte order marks and what hides lines are invalid, at their place",
    arguments: [
      ("sessions:\n\tlifetime: 7d", "7:1"), ("sessions:\n  \tlifetime: 7d", "7:3"), ("a: \u{0}", "6:4"),
      ("# hidden\u{2028}name: x", "6:9"), ("# hidden\u{85}name: x", "6:9"), ("# hidden\rname: x", "6:9"),
      ("x: \u{FEFF}", "6:4"), ("x: \u{7}", "6:4"), ("x: \u{7F}", "6:4"), ("x: \u{9B}", "6:4"),
    ])
  func hiddenCharacters(line: String, place: String) {
    #expect(problems(tenant() + line + "\n").brief == ["\(place) error invalid_yaml"])
  }

  @Test(
    "A byte order mark, UTF-16 and bytes that are not UTF-8 are invalid, at their place",
    arguments: [
      ([0xEF, 0xBB, 0xBF] + Array("appId: 1".utf8), "1:1"), ([0xFF, 0xFE, 0x61, 0], "1:1"),
      ([0xFE, 0xFF, 0, 0x61], "1:1"),
      (Array("appId: 1\nn: \u{E4}".utf8) + [0xFF], "2:5"), (Array("a: ".utf8) + [0xC0, 0x80], "1:4"),
      (Array("a: ".utf8) + [0xED, 0xA0, 0x80], "1:4"),
    ] as [([UInt8], String)])
  func encoding(bytes: [UInt8], place: String) {
    let file = TenantFile.read("t.yaml", bytes: bytes, environment: [:])
    #expect(file.problems.brief == ["\(place) error invalid_yaml"])
  }

  @Test("CRLF line ends are fine, and places stay right")
  func carriageReturns() {
    let yaml = tenant("appId: 0123").replacing("\n", with: "\r\n")
    #expect(problems(yaml).brief == ["1:8 error invalid_value"])
    #expect(problems(tenant("nope: 1").replacing("\n", with: "\r\n")).brief == ["6:1 error unknown_key"])
  }

  @Test("256 KiB pass, one byte more does not")
  func size() {
    let yaml = tenant()
    let padding = Limits.configurationFile - yaml.utf8.count - 1
    #expect(problems(yaml + "#" + String(repeating: "x", count: padding)).isEmpty)
    #expect(problems(yaml + "#" + String(repeating: "x", count: padding + 1)).brief == ["1:1 error invalid_yaml"])
  }

  @Test("Sixteen levels pass, seventeen do not")
  func depth() {
    func nested(_ levels: Int) -> String {
      tenant("x-deep: " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels))
    }
    #expect(problems(nested(15)).isEmpty)
    #expect(problems(nested(16)).brief == ["6:24 error invalid_yaml"])
  }

  @Test("5,000 nodes pass, one more does not; 10,000 are refused in under 10 ms")
  func nodes() {
    func notes(_ count: Int) -> String {
      tenant() + "x-list: [" + Array(repeating: "1", count: count).joined(separator: ",") + "]\n"
    }
    let base = 22 + 2  // the tenant's own, and the key and list of the note
    #expect(problems(notes(5000 - base)).isEmpty)
    #expect(problems(notes(5001 - base)).map(\.code) == [.invalidYAML])
    let many = notes(10_000)
    var best = UInt64.max
    for _ in 0..<5 {
      let start = threadNanoseconds
      #expect(problems(many).map(\.code) == [.invalidYAML])
      best = min(best, threadNanoseconds - start)
    }
    #expect(best < (_isDebugAssertConfiguration() ? 100_000_000 : 10_000_000))
  }

  @Test(
    "What is no YAML is invalid at libyaml's place",
    arguments: [
      ("name: a: b", "2:8"), ("name: [a", "3:8"), ("name: @x", "2:7"), ("name: 'a", "6:1"), ("domains: [a]]", "3:13"),
    ])
  func syntax(line: String, place: String) {
    let found = problems(tenant(line))
    #expect(found.brief == ["\(place) error invalid_yaml"])
    #expect(found.first?.hint != nil)
  }

  @Test(
    "A file of nothing or comments alone is empty",
    arguments: ["", "\n\n", "# only this\n", "---\n", "---\n# x\n...\n", "~", "   \n"])
  func emptyFile(yaml: String) { #expect(problems(yaml).brief == ["1:1 error empty_file"]) }

  @Test("A file that is no mapping is invalid", arguments: ["- a\n- b\n", "hello\n", "[a]\n"])
  func noMapping(yaml: String) { #expect(problems(yaml).brief == ["1:1 error invalid_value"]) }

  @Test("A required key that is absent is missing at the mapping that lacks it")
  func missingKey() {
    #expect(problems("name: Notes\n").brief == Array(repeating: "1:1 error missing_key", count: 4))
    #expect(problems(tenant("routes: [{ path: / }]")).brief == ["5:10 error missing_key"])
    #expect(problems(tenant("backends:\n  api:\n    retries: 1")).brief.contains("6:5 error missing_key"))
    #expect(problems(tenant("ios: { signInKey: { id: KEY1234567 } }")).errors.brief == ["6:19 error missing_key"])
  }

  @Test(
    "A secret in plain text is told as such, once, and never quoted",
    arguments: [
      "ios: { signInKey: { id: KEY1234567, key: hunter2hunter2 } }",
      "ios: { signInKey: \"-----BEGIN PRIVATE KEY-----hunter2\" }",
      "ios: { signInKey: { id: KEY1234567, file: \"-----BEGIN PRIVATE KEY-----hunter2\" } }",
      "x-note: \"-----BEGIN PRIVATE KEY-----hunter2\"",
      "password: hunter2", "serverKeys: [{ id: main, secret: hunter2 }]", "apiKey: hunter2",
      "relay: { verifier: { url: https://a.example/v, secret: hunter2 } }",
    ])
  func plainSecret(line: String) {
    let found = problems(tenant(line)).errors
    #expect(found.count { $0.code == .plainSecret } == 1)
    #expect(found.allSatisfy { [.plainSecret, .missingKey].contains($0.code) })
    let text = ProblemReport(found).rendered(.text) + ProblemReport(found).rendered(.json)
    #expect(!text.contains("hunter2"))
  }

  @Test(
    "B97 a path or a key where a variable's name is due is refused and not quoted",
    arguments: [
      "secrets/notes.p8", "sk_live_hunter2!", "MIGTAgEAMBMGByqGSM49/hunter2==",
    ])
  func variableName(text: String) {
    let found = problems(tenant("ios: { signInKey: { id: KEY1234567, env: \"\(text)\" } }")).errors
    #expect(found.brief == ["6:42 error invalid_value"])
    #expect(found.first?.message.contains(text) == false)
  }

  @Test("A route's backend that is not there is unknown, with the nearest one")
  func unknownBackend() {
    let found = problems(tenant("routes: [{ path: /, backend: apl }]"))
    #expect(found.brief == ["5:30 error unknown_backend"])
    #expect(found.first?.hint == "did you mean `api`?")
  }

  @Test("Any origin together with credentials is invalid at the origin")
  func anyOriginWithCredentials() {
    let found = problems(tenant("cors: { origins: [\"*\"], credentials: true }"))
    #expect(found.errors.brief == ["6:19 error invalid_value"])
    #expect(problems(tenant("cors: { origins: [\"*\"] }")).errors.isEmpty)
  }

  @Test("All problems of a file are told at once")
  func allAtOnce() {
    let yaml = tenant("appId: 0123", "name: ~", "domains: [a b]", "nope: 1", "routes: [{ path: x, backend: y }]")
    #expect(
      problems(yaml).sorted().map(\.code) == [
        .invalidValue, .emptyValue, .invalidValue, .invalidValue, .unknownBackend, .unknownKey,
      ])
  }
}
