import GatewayTesting
import Testing

@Suite("speed-gateway explain") struct ExplainCommandTests {
  private static let notes = """
    appId: 1
    name: Notes
    domains: [other.localhost, notes.localhost]
    cors: { origins: [https://web.example.com] }
    backends:
      api: { servers: [http://127.0.0.1:9001, http://127.0.0.1:9002], policy: leastRequests }
    routes:
      - { path: /public/, backend: api, auth: none }
      - { path: /v1/notes, backend: api, methods: [GET], units: 5, rateLimit: { requests: 10, per: 1s, by: user } }

    """

  private func folder() throws -> CommandFolder {
    try CommandFolder("trustedProxies: [10.0.0.0/8]\n", tenants: ["notes.yaml": Self.notes])
  }

  private func json(_ folder: CommandFolder, _ words: String...) throws -> (JSON, Int32) {
    let result = try CommandResult.run(
      [Built.command, "explain"] + words + ["--format", "json"], folder: folder.path(""))
    return (try JSON(parsing: Array(result.standardOutput.utf8)), result.exitCode)
  }

  private func step(_ explanation: JSON, _ name: String) -> JSON? {
    explanation["steps"].items.first { $0["step"].string == name }
  }

  @Test("it names app, route, auth, limit, price, backend and the fields that the backend gets, each with its place")
  func forwarded() throws {
    let result = try folder().run("explain", "GET", "https://notes.localhost/v1/notes/7?x=1")
    #expect(result.exitCode == 0 && result.standardError.isEmpty)
    let lines = result.standardOutput.split(separator: "\n").map(String.init)
    func has(_ words: String...) -> Bool { lines.contains { line in words.allSatisfy(line.contains) } }
    #expect(has("host", "notes.localhost: app 1, Notes", "tenants/notes.yaml:3:28"))
    #expect(has("route", "/v1/notes", "tenants/notes.yaml:9:13"))
    #expect(has("methods", "GET", "tenants/notes.yaml:9:47"))
    #expect(has("auth", "required", "by default"))
    #expect(has("rateLimit", "10 in 1s by user", "tenants/notes.yaml:9:"))
    #expect(has("price", "5 units", "tenants/notes.yaml:9:"))
    #expect(has("servers", "http://127.0.0.1:9001, http://127.0.0.1:9002, leastRequests", "tenants/notes.yaml:6:"))
    #expect(has("refused: 401 missing_token: ") && has("refused: 400 invalid_request_from: "))
    #expect(has("forwarded to api"))
    for field in [
      "  GET /v1/notes/7?x=1 HTTP/1.1", "  Host: notes.localhost", "  X-Speed-App-Id: 1", "  X-Speed-Request-From: app",
      "  X-Forwarded-Proto: https", "  X-Forwarded-Port: 443", "  X-Forwarded-For: 127.0.0.1",
    ] { #expect(lines.contains(field), "\(field)") }
  }

  @Test("it says why a request is refused, with status and code; exit 1 where no route takes it")
  func refused() throws {
    let folder = try folder()
    let cases: [(method: String, url: String, status: Int64, code: String, exit: Int32)] = [
      ("GET", "http://nobody.localhost/", 421, "unknown_host", 1),
      ("GET", "http://notes.localhost/", 404, "no_route", 1),
      ("POST", "http://notes.localhost/v1/notes", 405, "method_not_allowed", 0),
      ("GET", "http://notes.localhost/v1/notes?access_token=x", 400, "invalid_request", 0),
      ("GET", "http://notes.localhost/public%2f..%2fv1", 400, "bad_request", 1),
      ("GET", "http://notes.localhost/public/../v2", 404, "no_route", 1),
      ("TRACE", "http://notes.localhost/public/", 405, "method_not_allowed", 1),
      ("GET", "http://a_b/", 400, "bad_request", 1),
    ]
    for (method, url, status, code, exit) in cases {
      let (explanation, exitCode) = try json(folder, method, url)
      let refusal = explanation["refusals"].items.last
      #expect(refusal?["status"].integer == status && refusal?["code"].string == code, "\(method) \(url)")
      #expect(exitCode == exit && explanation["matched"].bool == (exit == 0), "\(method) \(url)")
      #expect(explanation["forwarded"] == false)
    }
    let invalid = try json(folder, "GET", "http://notes.localhost/v1/notes", "--header", "Authorization: Bearer a.b.c")
      .0
    #expect(invalid["refusals"].items.map { $0["code"].string } == ["invalid_token"])
    let large = try json(folder, "POST", "http://notes.localhost/public/", "--header=Content-Length: 99999999").0
    #expect(large["refusals"].items.map { $0["code"].string } == ["body_too_large"])
  }

  @Test("a host whose file is refused is told with what is wrong with the file")
  func refusedFile() throws {
    let folder = try CommandFolder(tenants: ["notes.yaml": Self.notes + "nope: 1\n"])
    let (explanation, exitCode) = try json(folder, "GET", "http://notes.localhost/public/")
    #expect(exitCode == 1)
    #expect(step(explanation, "file")?["place"] == "tenants/notes.yaml:3:28")
    #expect(step(explanation, "problem")?["place"] == "tenants/notes.yaml:10:1")
  }

  @Test("a preflight is answered by the gateway, an origin judged, and a trusted proxy believed")
  func edge() throws {
    let folder = try folder()
    let preflight = try json(
      folder, "OPTIONS", "http://notes.localhost/v1/notes", "--header", "Origin: https://web.example.com", "--header",
      "Access-Control-Request-Method: GET"
    ).0
    #expect(preflight["answer"]["status"] == 204 && preflight["matched"] == true)
    let foreign = try json(folder, "GET", "http://notes.localhost/public/", "--header", "Origin: https://x.example").0
    #expect(step(foreign, "cors")?["place"] == "tenants/notes.yaml:4:7")
    #expect(foreign["forwarded"] == true)
    let proxied = try json(
      folder, "GET", "http://notes.localhost/public/", "--from", "10.1.2.3", "--header", "X-Forwarded-For: 192.0.2.7"
    ).0
    #expect(proxied["head"].items.contains("X-Forwarded-For: 192.0.2.7"))
    #expect(try json(folder, "GET", "http://api.localhost/").1 == 0)
  }

  @Test("neither a token nor what stands for one is shown")
  func secrets() throws {
    let result = try folder().run(
      "explain", "GET", "http://notes.localhost/public/", "--header", "Authorization: Bearer hunter2")
    #expect(result.exitCode == 0 && !result.standardOutput.contains("hunter2"))
    #expect(result.standardOutput.contains("Authorization: Bearer <the token>"))
  }
}
