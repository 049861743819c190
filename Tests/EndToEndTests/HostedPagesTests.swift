import GatewayBase
import GatewayTesting
import Testing

/// Section 2: the pages of "Continue with Speed", as a browser without scripts sees them on the wire.
@Suite("Hosted pages", .onEveryWire) struct HostedPagesTests {
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  private func path(_ more: String = "", redirect: String = SpeedScene.target) -> String {
    "/platform/auth?appId=\(SpeedScene.app.id)&redirect=\(PercentEncoding.encode(redirect))\(more)"
  }

  private func get(_ scene: SpeedScene, _ path: String, host: String = "dash.localhost") throws -> HTTPAnswer {
    try scene.gateway.exchange(HTTPRequest("GET", path, host: host))
  }

  private func exchange(_ scene: SpeedScene, _ code: String, _ verifier: String) throws -> HTTPAnswer {
    try scene.gateway.exchange(
      HTTPRequest(
        "POST", "/api/platform/auth/exchange", host: "api.localhost",
        body: JSON.object(["code": .string(code), "codeVerifier": .string(verifier)]).bytes))
  }

  @Test("B65 B66 a visitor comes to a page of the gateway's own with strict headers, whose forms need its token")
  func visitor() throws {
    let scene = try SpeedScene()
    let browser = PageVisitor(scene)
    let page = try browser.send(HTTPRequest("GET", path(), host: "dash.localhost"))
    let signIn = path().replacing("/platform/auth?", with: "/platform/auth/sign-in?")
    #expect(page.status == 200 && page.fields["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.fields["Cache-Control"] == "no-store" && page.fields["Referrer-Policy"] == "no-referrer")
    #expect(page.fields["X-Content-Type-Options"] == "nosniff")
    let policy = try #require(page.fields["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
    #expect(policy.hasSuffix("form-action 'self' com.example.both:"))
    #expect(!page.text.contains("https://") && !page.text.contains("src=\"http"))
    let head = try browser.send(HTTPRequest("HEAD", signIn, host: "dash.localhost"))
    #expect(head.status == 200 && head.text.isEmpty)
    for (fields, status) in [
      ([("Content-Type", "application/x-www-form-urlencoded")], 403), ([("Content-Type", "text/plain")], 400),
      ([], 400),
    ] as [([(String, String)], Int)] {
      var form = HTTPRequest("POST", signIn, host: "dash.localhost", body: Array("email=a%40example.org".utf8))
      form.fields += fields.map { (name: $0.0, value: $0.1) }
      let refused = try browser.send(form)
      #expect(refused.status == status && refused.fields["Content-Type"]?.hasPrefix("text/html") == true)
    }
    #expect(try get(scene, path(), host: "api.localhost").status == 404, "pages are on the dash host alone")
  }

  @Test(
    "B58 B59 B61 B62 a redirect that is not the app's is a 400 page without it, before anything else",
    arguments: [
      "https://evil.example/cb", "http://127.0.0.1:80@evil.example/cb", "ftp://evil.example/cb", "JaVaScRiPt:alert(1)",
      "%09javascript:alert(1)", "java\nscript:alert(1)", "http://localhost.evil.example", "//evil.example",
      "malicious.example?.example.com", "com.example.both2://x", "com.example.both:/x", "com.example.both://x#y",
      "com.example.both://x?_speed_auth_data=y", "https://both.localhost:8443/", "", "com.example.both://\\x",
    ])
  func badRedirect(redirect: String) throws {
    let scene = try Self.scene.get()
    let answer = try get(scene, path(redirect: redirect))
    #expect(answer.status == 400 && answer.fields["X-Speed-Error"] == "invalid_redirect")
    #expect(answer.fields["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(answer.fields["Location"] == nil && answer.fields["Set-Cookie"] == nil)
    #expect(!answer.text.contains("evil") && !answer.text.contains("href"))
  }

  @Test("B63 the scheme counts without case, and a web origin of the app is a target too")
  func goodRedirect() throws {
    let scene = try Self.scene.get()
    for redirect in ["Com.Example.BOTH://speed-auth", "https://both.localhost/?a=1", "http://both.localhost/"] {
      #expect(try get(scene, path(redirect: redirect)).status == 200, "\(redirect)")
    }
  }

  @Test("B66 with a challenge the app gets a code, once; neither code nor token is in the log")
  func code() throws {
    let scene = try SpeedScene()
    let browser = PageVisitor(scene)
    let signedUp = try browser.signUp("ada@example.org")
    #expect(signedUp["isLocalUser"] == false && signedUp["isNewAccount"] == true)
    let back = try browser.send(
      HTTPRequest("GET", path("&code_challenge=\(Self.challenge)"), host: "dash.localhost"))
    #expect(back.status == 303 && back.fields["Cache-Control"] == "no-store")
    let location = try #require(back.fields["Location"])
    #expect(location.hasPrefix("\(SpeedScene.target)?code="))
    let code = String(location.dropFirst("\(SpeedScene.target)?code=".count))
    let answer = try exchange(scene, code, Self.verifier)
    #expect(answer.status == 200)
    let json = try answer.json()
    #expect(json["user"] == signedUp["user"] && json["isNewAccount"] == false)
    let bearer = try #require(json["token"].string)
    #expect(try scene.gateway.me(bearer).status == 200)
    #expect(try exchange(scene, code, Self.verifier).errorCode == "invalid_code")
    let tokens = [code, bearer, try #require(signedUp["token"].string), "ada@example.org"]
    for secret in tokens { #expect(!scene.gateway.log.contains(secret)) }
    for plain in ["&code_challenge=\(Self.challenge)&code_challenge_method=plain", "&link=2", "&code_challenge=x"] {
      let refused = try get(scene, path(plain))
      #expect(refused.status == 400 && refused.fields["X-Speed-Error"] == "invalid_request")
    }
  }

  /// Of tests that change nothing.
  private static let scene = Result { try SpeedScene() }
}
