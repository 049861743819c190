import GatewayBase
import GatewayTesting

/// A gateway of a test's own with both ways to sign in: Apple's, and the hosted pages, whose letters come here.
struct SpeedScene: Sendable {
  static let app = App(id: 401, host: "both.localhost", bundleID: "com.example.both")
  static let target = "com.example.both://speed-auth"
  static let serverKey = "sk_both_0123456789abcdef"

  let sandbox: SandboxProcess
  let mailbox: Mailbox
  let gateway: GatewayProcess
  private let setup: GatewaySetup

  init() throws {
    sandbox = try SandboxProcess()
    mailbox = try Mailbox()
    var tenant = TenantFile(
      Self.app.id, Self.app.host, bundleIDs: [Self.app.bundleID], ports: [try Stage.shared().backend.port])
    tenant.iosLines = ["urlSchemes: [com.example.both]"]
    tenant.lines = ["usage: { source: local }", "serverKeys: [{ id: main, env: BOTH_SERVER_KEY }]"]
    let yaml = tenant.yaml.replacing("[apple-native]", with: "[apple-native, speed-web]")
    var setup = GatewaySetup(
      keysURL: sandbox.keysURL, tenants: ["both.yaml": yaml],
      sections: ["mail": "{ smtp: \"smtp://127.0.0.1:\(mailbox.port)\", from: no-reply@example.org }"])
    setup.environment = ["BOTH_SERVER_KEY": Self.serverKey]
    self.setup = setup
    gateway = try GatewayProcess(setup)
  }

  /// Another node on the same store, with the same keys.
  func secondNode() throws -> GatewayProcess {
    var setup = setup
    setup.sections["store"] = "{ url: \"sqlite:\(gateway.folder.path("var/gateway.db"))\" }"
    setup.sections["tokens"] =
      "{ keys: \(gateway.folder.path("var/keys")), sealingKeys: \(gateway.folder.path("var/sealing")) }"
    return try GatewayProcess(setup)
  }

  /// Signs in with Apple: the JSON of it.
  func apple(_ subject: String, email: String? = nil) throws -> JSON {
    var request = TokenRequest(audience: Self.app.bundleID, subject: subject)
    if let email { request.claims["email"] = .string(email) }
    let answer = try gateway.signIn(app: Self.app.id, try sandbox.token(request))
    guard answer.status == 200 else { throw TestFailure("sign-in answers \(answer.status)") }
    return try answer.json()
  }

  func call(
    _ method: String, _ path: String, bearer: String, _ members: [String: JSON]? = nil
  ) throws -> HTTPAnswer {
    var request = HTTPRequest.authorized(method, path, host: "api.localhost", bearer: bearer)
    if let members {
      request.body = JSON.object(members).bytes
      request.fields.append(("Content-Type", "application/json"))
    }
    return try gateway.exchange(request)
  }

  func link(_ local: JSON, _ speed: JSON, keep: String? = nil) throws -> HTTPAnswer {
    let members = ["speedToken": speed["token"]].merging(keep.map { ["keep": .string($0)] } ?? [:]) { $1 }
    return try call("POST", "/api/platform/auth/link", bearer: local["token"].string ?? "", members)
  }

  /// What a backend sees of the user of a token.
  func seen(_ bearer: String, at node: GatewayProcess? = nil) throws -> HTTPFields {
    let answer = try (node ?? gateway).exchange(.authorized("GET", "/", host: Self.app.host, bearer: bearer))
    guard answer.status == 200 else { throw TestFailure("the app answers \(answer.status)") }
    return try answer.echoedFields()
  }
}

/// A browser without scripts on the hosted pages, with cookies of its own.
final class PageVisitor {
  private let scene: SpeedScene
  private var cookies: [String: String] = [:]

  init(_ scene: SpeedScene) { self.scene = scene }

  /// Makes a Speed account, up to what follows the verified address.
  ///
  /// - Returns: the JSON that the app gets.
  func signUp(_ email: String, name: String = "Ada Speed", isLinking: Bool = false) throws -> JSON {
    try answer(signUp(email, name: name, query: Self.visit(isLinking: isLinking)))
  }

  /// Comes from the app with a session that is there.
  func visit(isLinking: Bool = false) throws -> JSON {
    try answer(arrive("/platform/auth?\(Self.visit(isLinking: isLinking))", query: Self.visit(isLinking: isLinking)))
  }

  /// Makes a Speed account on the page that the query of an app's own URL asks for.
  ///
  /// - Returns: where the browser ends.
  func signUp(_ email: String, name: String = "Ada Speed", query: String) throws -> String {
    let form = try open("/platform/auth/sign-up?\(query)")
    let sent = try post(
      "/platform/auth/sign-up?\(query)", of: form,
      ["name": name, "email": email, "password": "a rather long pass phrase"])
    let verify = try location(sent)
    let page = try open(verify)
    let id = FormFields(verify.drop { $0 != "?" }.dropFirst().utf8)?["id"] ?? ""
    let verified = try post(
      "/platform/auth/verify?\(query)", of: page, ["id": id, "code": try scene.mailbox.code(to: email)])
    return try arrive(try location(verified), query: query)
  }

  /// Comes to the page that the query asks for, with a session that is there.
  ///
  /// - Returns: where the browser ends.
  func visit(query: String, decision: String = "allow") throws -> String {
    try arrive("/platform/auth?\(query)", query: query, decision: decision)
  }

  private static func visit(isLinking: Bool) -> String {
    let link = isLinking ? "&link=1" : ""
    return "appId=\(SpeedScene.app.id)&redirect=\(PercentEncoding.encode(SpeedScene.target))\(link)"
  }

  /// Answers the question that may be asked.
  private func arrive(_ path: String, query: String, decision: String = "allow") throws -> String {
    var answer = try send(HTTPRequest("GET", path, host: "dash.localhost"))
    if answer.status == 200 {
      answer = try post("/platform/auth/consent?\(query)", of: answer.text, ["decision": decision])
    }
    return try location(answer)
  }

  private func answer(_ target: String) throws -> JSON {
    guard target.hasPrefix(SpeedScene.target),
      let data = FormFields(target.drop { $0 != "?" }.dropFirst().utf8)?["_speed_auth_data"]
    else { throw TestFailure("the browser does not come back to the app") }
    return try JSON(parsing: Array(data.utf8))
  }

  private func open(_ path: String) throws -> String {
    let answer = try send(HTTPRequest("GET", path, host: "dash.localhost"))
    guard answer.status == 200 else { throw TestFailure("\(path.prefix { $0 != "?" }) answers \(answer.status)") }
    return answer.text
  }

  private func post(_ path: String, of page: String, _ fields: [String: String]) throws -> HTTPAnswer {
    guard let token = page.firstMatch(of: /name="form_token" value="([^"]*)"/)?.1 else {
      throw TestFailure("the page has no form")
    }
    let all = fields.merging(["form_token": String(token)]) { $1 }
    let body = all.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    return try send(
      HTTPRequest("POST", path, host: "dash.localhost", body: Array(body.utf8))
        .adding("Content-Type", "application/x-www-form-urlencoded"))
  }

  private func location(_ answer: HTTPAnswer) throws -> String {
    guard answer.status == 303, let location = answer.fields["Location"] else {
      throw TestFailure("a form answers \(answer.status)")
    }
    return location
  }

  /// Sends a request with the browser's cookies, and keeps those of the answer.
  func send(_ request: HTTPRequest) throws -> HTTPAnswer {
    let header = cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    let answer = try scene.gateway.exchange(header.isEmpty ? request : request.adding("Cookie", header))
    for cookie in answer.fields.all("Set-Cookie") {
      let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = pair.count == 2 ? String(pair[1]) : ""
    }
    return answer
  }
}
