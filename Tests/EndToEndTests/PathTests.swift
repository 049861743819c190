import GatewayTesting
import Testing

/// Section 9, "Target", and the rows of faults about paths and methods.
@Suite("Paths", .onEveryWire) struct PathTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private func target(of path: String) throws -> String {
    try stage.expectForwarded("GET \(path) HTTP/1.1\r\nGOOD\r\n\r\n").target
  }

  /// The path must fall under the rule for `/admin`, which takes GET alone, and reach the backend as `/admin`.
  private func expectAdmin(_ path: String) throws {
    #expect(try target(of: path) == "/admin", "\(path)")
    let answer = try stage.send("POST", path)
    #expect(answer.status == 405, "\(path)")
    #expect(answer.fields["Allow"]?.contains("GET") == true)
    #expect(answer.errorCode == "method_not_allowed")
    let anonymous = try stage.gateway.exchange(HTTPRequest("GET", path, host: App.alpha.host))
    #expect(anonymous.status == 401, "\(path)")
  }

  @Test(
    "GW-31 a path is resolved once, and rule and backend see the same",
    arguments: [
      "//admin", "/./admin", "/x/../admin", "/x/%2e%2e/admin", "/public/../admin", "/x/%2E%2e/admin", "/%61dmin",
      "/.//admin",
    ])
  func resolved(path: String) throws {
    try expectAdmin(path)
  }

  @Test(
    "GW-35 dots in the middle are resolved before the rule is chosen",
    arguments: ["/a/./b/../../admin", "/public/./../admin"])
  func dots(path: String) throws {
    try expectAdmin(path)
  }

  @Test("dots never lead above the root")
  func aboveRoot() throws {
    for path in ["/../admin", "/../../admin", "/%2e%2e/%2e%2e/admin"] {
      let answer = try stage.send("GET", path)
      #expect(answer.status == 400 || (answer.status == 200 && (try? answer.json()["target"].string) == "/admin"))
    }
  }

  @Test(
    "GW-33 an encoded separator or NUL is refused",
    arguments: ["/x%2fadmin", "/x%2Fadmin", "/public%2f..%2fadmin", "/x%5cadmin", "/x%5Cadmin", "/%00", "/a%00b"])
  func encodedSeparator(path: String) throws {
    try stage.expectRefusal("GET \(path) HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test(
    "GW-34 double encoding and back-slashes are refused",
    arguments: [
      "/%252e%252e/", "/%252e%252e/admin", "/%252fadmin", "/%255cadmin", "/public\\..\\admin", "/\\admin",
    ])
  func doubleEncoding(path: String) throws {
    try stage.expectRefusal("GET \(path) HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test("GW-37 the query decides no rule")
  func query() throws {
    let answer = try stage.gateway.exchange(HTTPRequest("GET", "/admin?/health", host: App.alpha.host))
    #expect(answer.status == 401)
    #expect(try target(of: "/admin?a=/../b&c=%2F%00") == "/admin?a=/../b&c=%2F%00")
  }

  @Test("GW-38 a target with a fragment is refused", arguments: ["/a#/b", "/admin#/public", "/#", "/public/?a#b"])
  func fragment(path: String) throws {
    try stage.expectRefusal("GET \(path) HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test("GW-39 an encoded separator never becomes a second segment, not even where paths are opaque")
  func oneSegment() throws {
    try stage.expectRefusal("GET /a%2Fb HTTP/1.1\r\nGOOD\r\n\r\n", 400)
    let bearer = try stage.freshBearer(.opaque)
    let answer = try stage.gateway.exchange(.authorized("GET", "/a%2Fb//c/../d", host: App.opaque.host, bearer: bearer))
    #expect(answer.status == 200)
    #expect(try answer.json()["target"].string == "/a%2Fb//c/../d")
  }

  @Test("GW-41 the family of method overrides is dropped unless the app wants it")
  func methodOverride() throws {
    let fields =
      "X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method: DELETE\r\nX-Method-Override: DELETE\r\nX_HTTP_Method_Override: DELETE"
    let seen = try stage.expectForwarded("POST / HTTP/1.1\r\nGOOD\r\n\(fields)\r\nContent-Length: 0\r\n\r\n")
    #expect(seen.method == "POST")
    #expect(seen.fields.foldedNames.filter { $0.contains("method") } == [])
    let bearer = try stage.freshBearer(.lax)
    let kept = try stage.gateway.exchange(
      .authorized("POST", "/", host: App.lax.host, bearer: bearer).adding("X-HTTP-Method-Override", "DELETE")
        .adding("Content-Length", "0"))
    #expect(try kept.echoedFields()["X-HTTP-Method-Override"] == "DELETE")
  }

  @Test(
    "a target that is ambiguous is refused",
    arguments: [
      "http://evil/x", "https://APP/x", "*", "x", "?a", "/%zz", "/%", "/%4", "/a%", "/a\"b", "/a<b", "/a>b", "/a{b",
      "/a}b",
      "/a|b", "/a^b", "/a`b", "/ü", "/a\u{7f}", "/a\u{1}",
    ])
  func ambiguous(target: String) throws {
    try stage.expectRefusal("GET \(target) HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test("GW-5 a space inside the target makes the request line ambiguous, which is refused")
  func space() throws {
    try stage.expectRefusal("GET /a HTTP/1.1 HTTP/1.1\r\nGOOD\r\n\r\n", 400)
    try stage.expectRefusal("GET /a b HTTP/1.1\r\nGOOD\r\n\r\n", 400)
  }

  @Test("GW-3 an encoded line break in a target stays encoded on the request line")
  func encodedLineBreak() throws {
    let marker = Marker()
    let answer = try stage.send("GET", "/\(marker)%20HTTP/1.1%0d%0aX-Injected:%20b")
    if answer.status == 200 {
      #expect(try answer.echoedFields()["X-Injected"] == nil)
      #expect(try answer.json()["target"].string?.contains("%0") == true)
    } else {
      #expect(answer.status == 400)
    }
    #expect(!stage.backend.received("\r\nX-Injected"))
  }

  @Test("CONNECT and TRACE are refused with 405")
  func forbiddenMethods() throws {
    let marker = Marker()
    for line in ["CONNECT a:443 HTTP/1.1", "CONNECT APP:443 HTTP/1.1", "TRACE / HTTP/1.1"] {
      let connection = try stage.gateway.connect()
      defer { connection.close() }
      try connection.send(stage.fill("\(line)\r\nGOOD\r\n\r\n", marker))
      #expect(try connection.receiveAnswer().status == 405, "\(line)")
    }
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("OPTIONS * is answered by the gateway")
  func optionsAsterisk() throws {
    let marker = Marker()
    let connection = try stage.gateway.connect()
    defer { connection.close() }
    try connection.send(stage.fill("OPTIONS * HTTP/1.1\r\nGOOD\r\n\r\n", marker))
    let answer = try connection.receiveAnswer()
    #expect((200..<300).contains(answer.status))
    #expect(!stage.backend.received("\(marker)"))
  }

  @Test("unreserved triplets are decoded, others keep theirs")
  func triplets() throws {
    #expect(try target(of: "/%7Euser/%41%2d%5f") == "/~user/A-_")
    let kept = try target(of: "/a%20b%3Fc")
    #expect(kept.lowercased() == "/a%20b%3fc")
  }

  @Test("a path that no route matches is 404, and a method that the longest lacks is 405")
  func noRoute() throws {
    let answer = try stage.gateway.exchange(HTTPRequest("GET", "/v2/x", host: App.bare.host))
    #expect(answer.status == 404)
    #expect(answer.errorCode == "no_route")
    #expect(try stage.send("DELETE", "/admin/users").status == 405)
    // `/admin` is no prefix of `/administrator`.
    #expect(try stage.send("POST", "/administrator").status == 200)
  }
}
