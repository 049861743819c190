import Foundation
import GatewayBase
import GatewayTesting
import Testing

/// Section 5: Sign in with Apple in a browser.
@Suite("Apple on the web", .onWiresOfItsOwn) struct AppleWebTests {
  private static let callback = "/platform/auth/apple/callback"
  private static let target = "com.example.life://speed-auth"

  /// What a browser has got of the beginning.
  private struct Begun {
    let state: String
    let nonce: String
    let cookie: String
    let redirectURI: String
  }

  private func get(_ scene: AppleScene, _ query: String, cookie: String? = nil) throws -> HTTPAnswer {
    let request = HTTPRequest("GET", "/platform/auth/apple?\(query)", host: "dash.localhost")
    return try scene.gateway.exchange(cookie.map { request.adding("Cookie", $0) } ?? request)
  }

  private func begin(
    _ scene: AppleScene, redirect: String = target, challenge: String? = nil, cookie: String? = nil
  ) throws -> Begun {
    let code = challenge.map { "&code_challenge=\($0)&code_challenge_method=S256" } ?? ""
    let answer = try get(
      scene, "appId=\(AppleScene.app.id)&redirect=\(PercentEncoding.encode(redirect))\(code)", cookie: cookie)
    #expect(answer.status == 303)
    #expect(answer.fields["Cache-Control"] == "no-store" && answer.fields["Referrer-Policy"] == "no-referrer")
    let location = try #require(answer.fields["Location"])
    #expect(location.hasPrefix("https://appleid.apple.com/auth/authorize?"))
    let query = try #require(FormFields(location.drop { $0 != "?" }.dropFirst().utf8))
    #expect(query["client_id"] == AppleScene.servicesID && query["response_mode"] == "form_post")
    let set = try #require(answer.fields["Set-Cookie"])
    for attribute in ["Secure", "HttpOnly", "SameSite=None", "Path=/"] { #expect(set.contains(attribute)) }
    return Begun(
      state: try #require(query["state"]), nonce: try #require(query["nonce"]),
      cookie: String(set.prefix { $0 != ";" }), redirectURI: try #require(query["redirect_uri"]))
  }

  private func token(
    _ scene: AppleScene, _ begun: Begun, subject: String = TokenRequest.freshSubject(),
    audience: String = AppleScene.servicesID
  ) throws -> JSON {
    try scene.sandbox.post(
      "/sandbox/identity-token",
      [
        "aud": .string(audience), "sub": .string(subject), "nonce": .string(begun.nonce), "email": "ada@example.org",
        "email_verified": true, "code": true, "redirectURI": .string(begun.redirectURI),
      ])
  }

  private func post(_ scene: AppleScene, _ fields: [String: String], cookie: String?) throws -> HTTPAnswer {
    let body = fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let request = HTTPRequest("POST", Self.callback, host: "dash.localhost", body: Array(body.utf8))
      .adding("Content-Type", "application/x-www-form-urlencoded").adding("Origin", "https://appleid.apple.com")
    return try scene.gateway.exchange(cookie.map { request.adding("Cookie", $0) } ?? request)
  }

  private func finish(
    _ scene: AppleScene, _ begun: Begun, subject: String = TokenRequest.freshSubject(), extra: [String: String] = [:]
  ) throws -> HTTPAnswer {
    let token = try token(scene, begun, subject: subject)
    let fields = [
      "state": begun.state, "id_token": try #require(token["identityToken"].string),
      "code": try #require(token["authorizationCode"].string),
    ]
    return try post(scene, fields.merging(extra) { $1 }, cookie: begun.cookie)
  }

  private func data(_ answer: HTTPAnswer) throws -> JSON {
    #expect(answer.status == 303)
    let location = try #require(answer.fields["Location"])
    let query = try #require(FormFields(location.drop { $0 != "?" }.dropFirst().utf8))
    return try JSON(parsing: Array(try #require(query["_speed_auth_data"], "\(query["error"] ?? "")").utf8))
  }

  @Test("B42 B51 B66 a sign-in comes back to the app with a token, and reaches the account of the native one")
  func signsIn() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    let native = try scene.signIn(subject: subject)
    let begun = try begin(scene, redirect: "\(Self.target)?keep=1")
    let user = "{\"name\":{\"firstName\":\"Ada\",\"lastName\":\"Example\"},\"email\":\"victim@example.org\"}"
    let answer = try finish(scene, begun, subject: subject, extra: ["user": user])
    #expect(answer.fields["Location"]?.hasPrefix("\(Self.target)?keep=1&_speed_auth_data=%7B") == true)
    #expect(answer.fields["Cache-Control"] == "no-store" && answer.fields["Referrer-Policy"] == "no-referrer")
    let json = try data(answer)
    #expect(json["user"]["id"] == native["user"]["id"] && json["isNewAccount"] == false)
    #expect(json["user"]["name"] == "Ada Example")
    #expect(json["user"]["email"] == "ada@example.org")
    let bearer = try #require(json["token"].string)
    #expect(try scene.gateway.me(bearer).status == 200)
    #expect(!scene.gateway.log.contains(bearer) && !scene.gateway.log.contains("victim"))
    // The code was exchanged with its redirect_uri: both grants are revoked with the account.
    #expect(try eventually { try scene.grants().count == 2 && scene.waiting("follow-up") == 0 })
    #expect(try scene.gateway.deleteAccount(bearer).status == 200)
    #expect(try eventually { try scene.grants().allSatisfy { $0["revoked"] == true } })
    #expect(try Set(scene.grants().map { $0["client"].string }) == [AppleScene.app.bundleID, AppleScene.servicesID])
  }

  @Test("B66 with a challenge the app gets a code, once, and no token is in any URL")
  func code() throws {
    let scene = try AppleScene()
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let begun = try begin(scene, challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    let location = try #require(try finish(scene, begun).fields["Location"])
    #expect(location.hasPrefix("\(Self.target)?code=") && !location.contains("_speed_auth_data"))
    let code = String(location.dropFirst("\(Self.target)?code=".count))
    let exchange = HTTPRequest(
      "POST", "/api/platform/auth/exchange", host: "api.localhost",
      body: Array("{\"code\":\"\(code)\",\"codeVerifier\":\"\(verifier)\"}".utf8))
    let answer = try scene.gateway.exchange(exchange)
    #expect(answer.status == 200 && answer.fields["Cache-Control"] == "no-store")
    let bearer = try #require(try answer.json()["token"].string)
    #expect(try scene.gateway.me(bearer).status == 200)
    let again = try scene.gateway.exchange(exchange)
    #expect(again.status == 400 && again.errorCode == "invalid_code")
    #expect(!scene.gateway.log.contains(code) && !scene.gateway.log.contains(verifier))
    for query in ["code_challenge=x", "code_challenge_method=S256", "link=1"] {
      let refused = try get(
        scene, "appId=\(AppleScene.app.id)&redirect=\(PercentEncoding.encode(Self.target))&\(query)")
      #expect(refused.status == 400 && refused.fields["X-Speed-Error"] == "invalid_request")
    }
  }

  @Test("what is refused before a page is asked is a page below /platform/ alone")
  func refusalsOfHeads() throws {
    let scene = try Stage.shared()
    let long = String(repeating: "a", count: 9000)
    for (path, isPage) in [("/platform/auth/apple", true), ("/elsewhere", false)] {
      for (request, status) in [
        (HTTPRequest("GET", "\(path)?\(long)", host: "dash.localhost"), 414),
        (HTTPRequest("GET", "\(path)/%zz", host: "dash.localhost"), 400),
        (HTTPRequest("POST", path, host: "dash.localhost", body: [UInt8](repeating: 0x61, count: 70_000)), 413),
      ] {
        let answer = try scene.gateway.exchange(request)
        #expect(answer.status == status)
        #expect(answer.fields["Content-Type"]?.hasPrefix(isPage ? "text/html" : "application/json") == true)
      }
    }
  }

  @Test("B45 an unsigned address is nobody's")
  func unsignedAddress() throws {
    let scene = try AppleScene()
    let answer = try finish(scene, try begin(scene), extra: ["user": "{\"email\":\"victim@example.org\"}"])
    #expect(try data(answer)["user"]["email"] == "ada@example.org")
  }

  @Test("B55 a user who cancels comes back with access_denied")
  func cancels() throws {
    let scene = try AppleScene()
    let begun = try begin(scene)
    let answer = try post(scene, ["state": begun.state, "error": "user_cancelled_authorize"], cookie: begun.cookie)
    #expect(answer.status == 303 && answer.fields["Location"] == "\(Self.target)?error=access_denied")
  }

  @Test("B54 B57 another browser's answer goes to the app with an error, and signs nobody in")
  func otherBrowser() throws {
    let scene = try AppleScene()
    for cookie in [
      nil, "__Host-speed-flow=\(Base64URL.encode([UInt8](repeating: 7, count: 32)))", "x=1; __Host-speed-flow=",
    ] as [String?] {
      let begun = try begin(scene)
      let token = try token(scene, begun)
      let answer = try post(
        scene, ["state": begun.state, "id_token": token["identityToken"].string ?? ""], cookie: cookie)
      #expect(answer.status == 303 && answer.fields["Location"] == "\(Self.target)?error=invalid_identity_token")
    }
  }

  @Test("B6 a token of another flow, for another audience or with another code is refused")
  func mixed() throws {
    let scene = try AppleScene()
    let (first, second) = (try begin(scene), try begin(scene))
    let token = try token(scene, second)["identityToken"].string ?? ""
    let mixed = try post(scene, ["state": first.state, "id_token": token], cookie: first.cookie)
    #expect(mixed.fields["Location"] == "\(Self.target)?error=invalid_identity_token")
    let third = try begin(scene)
    let native = try self.token(scene, third, audience: AppleScene.app.bundleID)["identityToken"].string ?? ""
    let wrong = try post(scene, ["state": third.state, "id_token": native], cookie: third.cookie)
    #expect(wrong.fields["Location"] == "\(Self.target)?error=invalid_identity_token")
    let fourth = try begin(scene)
    let code = try finish(scene, fourth, extra: ["code": "another"])
    #expect(code.fields["Location"] == "\(Self.target)?error=invalid_identity_token")
    #expect(
      try finish(scene, second).fields["Location"]?.contains("_speed_auth_data") == true, "its own flow is untouched")
  }

  @Test("a state is good once, and an unknown one is a page that links nowhere")
  func once() throws {
    let scene = try AppleScene()
    let begun = try begin(scene)
    _ = try data(try finish(scene, begun))
    for state in [begun.state, "unknown", ""] {
      let answer = try post(scene, ["state": state, "error": "x"], cookie: begun.cookie)
      #expect(answer.status == 400 && answer.fields["Content-Type"]?.hasPrefix("text/html") == true)
      #expect(!answer.text.contains("href") && answer.fields["Location"] == nil)
    }
    #expect(try post(scene, [:], cookie: nil).status == 400)
  }

  @Test("a sign-in does not end at an app that has dropped the provider since it began")
  func dropped() throws {
    let scene = try AppleScene()
    let begun = try begin(scene)
    let path = scene.gateway.folder.path("tenants/app.yaml")
    let text = String(decoding: try FileBytes.read(path), as: UTF8.self)
    try scene.gateway.folder.write(
      "tenants/app.yaml", text.replacing("providers: [apple-native]", with: "providers: []"))
    #expect(scene.gateway.process.waitForLine { $0.contains("tenants are live") ? true : nil } == true)
    let answer = try finish(scene, begun)
    #expect(answer.status == 400 && answer.fields["X-Speed-Error"] == "provider_not_enabled")
  }

  @Test("B53 two windows of one browser share the cookie, and both come home")
  func twoWindows() throws {
    let scene = try AppleScene()
    let first = try begin(scene)
    let second = try begin(scene, cookie: "other=1; \(first.cookie)")
    #expect(first.cookie == second.cookie && first.state != second.state)
    #expect(try data(try finish(scene, second))["token"].string != nil)
    #expect(try data(try finish(scene, first))["token"].string != nil)
  }

  @Test(
    "B58 B61 GW-98 a redirect that is not the app's is a 400 page without it, before anything else",
    arguments: [
      "https://evil.example/cb", "otherscheme://x", "https://life.localhost@evil.example", "javascript://x", "",
    ])
  func badRedirect(redirect: String) throws {
    let scene = try Stage.shared()
    let answer = try scene.gateway.exchange(
      HTTPRequest(
        "GET", "/platform/auth/apple?appId=\(App.alpha.id)&redirect=\(PercentEncoding.encode(redirect))",
        host: "dash.localhost"))
    #expect(answer.status == 400 && answer.fields["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(answer.fields["X-Speed-Error"] == "invalid_redirect" && answer.fields["Location"] == nil)
    #expect(!answer.text.contains("evil") && answer.fields["Set-Cookie"] == nil)
  }

  @Test("an unknown app, a missing redirect, an app without a Services ID and a wrong method are pages too")
  func refused() throws {
    let scene = try AppleScene()
    for (query, status, code) in [
      ("appId=999&redirect=x", 404, "Target not found"), ("appId=\(AppleScene.app.id)", 400, "invalid_request"),
      ("redirect=x", 400, "invalid_request"),
      ("appId=\(AppleScene.pair.id)&redirect=https%3A%2F%2Fpair.localhost%2F", 400, "web_not_configured"),
    ] {
      let answer = try get(scene, query)
      #expect(answer.status == status && answer.fields["X-Speed-Error"] == code, "\(query)")
      #expect(answer.fields["Content-Type"]?.hasPrefix("text/html") == true)
      #expect(answer.fields["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
    }
    let post = try scene.gateway.exchange(HTTPRequest("POST", "/platform/auth/apple", host: "dash.localhost"))
    #expect(post.status == 405 && post.fields["Allow"] == "GET")
    for path in ["/", "/api/platform/auth/me", "/.well-known/jwks.json", GatewayProcess.signInPath] {
      #expect(try scene.gateway.exchange(HTTPRequest("GET", path, host: "dash.localhost")).status == 404)
    }
    #expect(try scene.gateway.exchange(HTTPRequest("GET", "/platform/auth/apple", host: "api.localhost")).status == 404)
  }

  @Test("with popup=1 there is a page with Apple's script, whose answer is posted as a redirect's would be")
  func popup() throws {
    let scene = try AppleScene()
    let answer = try get(
      scene, "appId=\(AppleScene.app.id)&popup=1&redirect=\(PercentEncoding.encode(Self.target))")
    #expect(answer.status == 200)
    #expect(answer.text.contains("appleid.auth.js") && answer.text.contains("usePopup: true"))
    let policy = try #require(answer.fields["Content-Security-Policy"])
    #expect(policy.contains("script-src 'nonce-") && policy.contains("https://appleid.cdn-apple.com"))
    #expect(answer.fields["Set-Cookie"] != nil)
  }
}
