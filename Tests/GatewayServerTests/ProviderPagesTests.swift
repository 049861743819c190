import GatewayBase
import GatewayHTTP
import GatewayProxy
import ProviderKit
import Testing

@testable import GatewayServer

/// Pages of plugins: the visit, the form, the cookies, the end.
@Suite("Pages of providers") struct ProviderPagesTests {
  @Test("a visit is judged and handed on in one form, and the provider's own fields stay apart")
  func visits() async throws {
    let stage = try await PageStage(logo: "logo.svg")
    let query = PageStage.query(
      redirect: "Com.Example.Notes://speed-auth?a=1&b",
      [("link", "1"), ("code_challenge", PageStage.challenge), ("code_challenge_method", "S256"), ("id", "7 8")])
    let response = await stage.send(query: query + "&domain=NOTES.example.com")
    #expect(response.status == 200 && response.text == "<h1>A page</h1>")
    let request = try #require(stage.provider.requests.last)
    let visit = try #require(request.visit)
    #expect(visit.app.appID == 1 && visit.app.name == "App 1" && visit.isLinking)
    #expect(visit.logo == "data:image/svg+xml;base64,PHN2Zy8+")
    #expect(request.query == ["id": "7 8"] && request.form == nil && request.session == nil)
    #expect(request.origin == "https://dash.example.com" && request.path == PageStage.path)
    #expect(request.address == "198.51.100.1")
    // The query that goes on means the same visit, and stays as it is.
    _ = await stage.send(query: visit.query)
    #expect(stage.provider.requests.last?.visit == visit)
    #expect(visit.query.contains("redirect=com.example.notes%3A%2F%2Fspeed-auth%3Fa%3D1%26b"))
  }

  @Test("without a field of a visit there is none")
  func noVisit() async throws {
    let stage = try await PageStage()
    for query in [nil, "", "page=2"] {
      #expect(await stage.send(query: query).status == 200)
      #expect(stage.provider.requests.last?.visit == nil)
    }
    stage.provider.answer { _ in PageAnswer(.finished(.declined)) }
    #expect(await stage.send(query: nil).status == 500, "there is nothing to finish")
  }

  @Test(
    "B58 B61 B66 what is no good visit is a page that leads nowhere, before the provider hears of it",
    arguments: [
      (PageStage.query(redirect: "https://evil.example/"), 400, "invalid_redirect"),
      (PageStage.query(redirect: "https://notes.example.com@evil.example/"), 400, "invalid_redirect"),
      (PageStage.query(redirect: "\(PageStage.target)#x"), 400, "invalid_redirect"),
      (PageStage.query(redirect: "\(PageStage.target)?_speed_auth_data=x"), 400, "invalid_redirect"),
      (
        PageStage.query(redirect: "\(PageStage.target)?code=x", [("code_challenge", PageStage.challenge)]), 400,
        "invalid_redirect"
      ),
      (PageStage.query(redirect: nil), 400, "invalid_request"), (PageStage.query(app: nil), 400, "invalid_request"),
      (PageStage.query(app: "x"), 400, "invalid_request"), (PageStage.query(app: "99"), 404, "Target not found"),
      (PageStage.query(app: "2", redirect: "https://other.example.com/"), 400, "provider_not_enabled"),
      (PageStage.query([("domain", "other.example.com")]), 400, "invalid_request"),
      (PageStage.query([("link", "0")]), 400, "invalid_request"),
      (PageStage.query([("link", "true")]), 400, "invalid_request"), ("link=1", 400, "invalid_request"),
      (PageStage.query([("code_challenge", "x")]), 400, "invalid_request"),
      (PageStage.query([("code_challenge", "")]), 400, "invalid_request"),
      (
        PageStage.query([("code_challenge", PageStage.challenge), ("code_challenge_method", "plain")]), 400,
        "invalid_request"
      ),
      (PageStage.query([("code_challenge_method", "S256")]), 400, "invalid_request"),
      ("code_challenge=\(PageStage.challenge)", 400, "invalid_request"),
      ("\(PageStage.query())&redirect=x", 400, "invalid_request"),
      ("\(PageStage.query())&a=%zz", 400, "invalid_request"),
    ] as [(String, UInt16, String)])
  func refused(query: String, status: UInt16, code: String) async throws {
    let stage = try await PageStage()
    for method in [HTTPMethod.get, .head, .post] {
      let response = await stage.send(method, query: query)
      #expect(response.status == status && response.value(of: "X-Speed-Error") == code)
      #expect(response.value(of: "Content-Type") == "text/html; charset=utf-8")
      #expect(response.value(of: "Location") == nil && response.value(of: "Set-Cookie") == nil)
      #expect(!response.text.contains("href") && !response.text.contains("evil"))
    }
    #expect(stage.provider.requests.isEmpty)
  }

  @Test("methods: HEAD is a GET, others are refused, and a path of nobody is a page too")
  func methods() async throws {
    let stage = try await PageStage()
    #expect(await stage.send(.head).status == 200)
    #expect(stage.provider.requests.last?.form == nil)
    let refused = await stage.send(.put)
    #expect(refused.status == 405 && refused.value(of: "Allow") == "GET, POST")
    #expect(await stage.send(path: "/platform/nowhere").status == 404)
  }

  @Test("what is refused in place of a page is a page, and elsewhere the API's answer")
  func refusals() async throws {
    let stage = try await PageStage()
    let both = PagesAndAPI(pages: stage.pages, api: stage.api)
    for (target, isPage) in [("/platform/x", true), ("/platform", false), ("/api/x", false), (nil, false)] {
      for service in [stage.pages, both] as [any Service] {
        let response = service.response(to: .bodyTooLarge, target: target, requestID: "r-9")
        #expect(response.status == 413 && response.closesConnection)
        #expect(response.value(of: "X-Speed-Error") == "body_too_large")
        #expect(response.value(of: "Content-Type")?.hasPrefix(isPage ? "text/html" : "application/json") == true)
        #expect(response.text.contains("r-9"))
      }
    }
  }

  @Test("a page runs nothing and loads nothing that is not its own, and its forms end here or at the target")
  func policy() async throws {
    let stage = try await PageStage()
    let response = await stage.send()
    let nonce = try #require(stage.provider.requests.last).scriptNonce
    #expect(
      response.value(of: "Content-Security-Policy")
        == "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; "
        + "connect-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' com.example.notes:")
    for (name, value) in [
      ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Strict-Transport-Security", "max-age=31536000"),
    ] {
      #expect(response.value(of: name) == value)
    }
    #expect(response.value(of: "Permissions-Policy")?.contains("publickey-credentials-get=(self)") == true)
    let web = await stage.send(query: PageStage.query(redirect: "https://notes.example.com/back"))
    #expect(
      web.value(of: "Content-Security-Policy")?.hasSuffix("form-action 'self' https://notes.example.com") == true)
    #expect(await stage.send(query: nil).value(of: "Content-Security-Policy")?.hasSuffix("form-action 'self'") == true)
    let (first, second) = (stage.provider.requests[0].scriptNonce, stage.provider.requests[1].scriptNonce)
    #expect(first != second)
  }

  @Test("without TLS nothing says that there is always TLS, and the origin has the browser's port")
  func plain() async throws {
    let stage = try await PageStage(publicURL: "http://localhost:8080")
    let response = await stage.send(
      query: PageStage.query(redirect: "http://notes.localhost:8080/"), host: "localhost", port: 8080, isSecure: false)
    #expect(response.status == 200 && response.value(of: "Strict-Transport-Security") == nil)
    #expect(stage.provider.requests.last?.origin == "http://localhost:8080")
    let elsewhere = await stage.send(
      query: PageStage.query(redirect: "http://notes.localhost:5173/"), host: "localhost", port: 8080, isSecure: false)
    #expect(elsewhere.status == 400, "another server of the developer is to be listed in redirects")
    let dash = await stage.send(query: PageStage.query(redirect: "http://notes.localhost:8080/"), port: 8080)
    #expect(dash.status == 400, "the browser is not on the gateway's machine")
  }

  @Test("a port that the client names does not get into the origin, where links of letters would have it")
  func namedPort() async throws {
    for (publicURL, origin) in [
      ("https://api.example.com", "https://dash.example.com"),
      ("https://api.example.com:8443", "https://dash.example.com:8443"),
    ] {
      let stage = try await PageStage(publicURL: publicURL)
      for isSecure in [true, false] {
        #expect(await stage.send(port: 4444, isSecure: isSecure).status == 200)
        #expect(stage.provider.requests.last?.origin == origin)
      }
    }
  }

  @Test("a browser gets its cookie once, and the token of its forms stays the same")
  func browserCookie() async throws {
    let stage = try await PageStage()
    let first = await stage.send()
    let set = try #require(first.value(of: "Set-Cookie"))
    #expect(set.hasPrefix("__Host-speed-browser="))
    #expect(set.hasSuffix("; Path=/; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax"))
    let cookie = set.prefix { $0 != ";" }
    let token = try #require(stage.provider.requests.last).formToken
    #expect(!set.contains(token))
    let second = await stage.send(fields: [("Cookie", "x=1; \(cookie)")])
    #expect(second.value(of: "Set-Cookie") == nil)
    #expect(stage.provider.requests.last?.formToken == token)
    let broken = await stage.send(fields: [("Cookie", "__Host-speed-browser=short")])
    #expect(broken.value(of: "Set-Cookie") != nil)
    #expect(stage.provider.requests.last?.formToken != token)
  }

  @Test("a form of a page that this browser was shown comes to the provider, without its token")
  func form() async throws {
    let stage = try await PageStage()
    for fields in [
      [], [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")], [("Origin", "https://dash.example.com")],
      [("Sec-Fetch-Site", "none")],
    ] as [[(String, String)]] {
      #expect(try await stage.post("name=Zo%C3%AB+%26&empty=", fields: fields).status == 200)
      let request = try #require(stage.provider.requests.last)
      #expect(request.form == ["name": "Zoë &", "empty": ""] && request.visit != nil)
    }
  }

  @Test("a form from elsewhere is a 403 page, and the provider does not hear of it")
  func foreignForm() async throws {
    let stage = try await PageStage()
    let other = try await PageStage().browser()
    let (cookie, token) = try await stage.browser()
    let form = ("Content-Type", "application/x-www-form-urlencoded")
    let count = stage.provider.requests.count
    for (fields, body) in [
      ([form], "form_token=\(token)"),
      ([form, ("Cookie", other.cookie)], "form_token=\(token)"),
      ([form, ("Cookie", cookie)], "form_token=\(other.token)"),
      ([form, ("Cookie", cookie)], "form_token="), ([form, ("Cookie", cookie)], "a=1"),
      ([form, ("Cookie", cookie), ("Origin", "https://evil.example")], "form_token=\(token)"),
      ([form, ("Cookie", cookie), ("Origin", "https://dash.example.com:8443")], "form_token=\(token)"),
      ([form, ("Cookie", cookie), ("Origin", "http://dash.example.com")], "form_token=\(token)"),
      ([form, ("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")], "form_token=\(token)"),
      ([form, ("Cookie", cookie), ("Sec-Fetch-Site", "same-site"), ("Origin", "null")], "form_token=\(token)"),
    ] as [([(String, String)], String)] {
      let response = await stage.send(.post, fields: fields, body: body)
      #expect(response.status == 403 && response.value(of: "X-Speed-Error") == "forbidden")
      #expect(response.value(of: "Content-Type") == "text/html; charset=utf-8")
    }
    for type in ["text/plain", "multipart/form-data; boundary=x", "application/json", ""] {
      let response = await stage.send(
        .post, fields: [("Cookie", cookie), ("Content-Type", type)], body: "form_token=\(token)")
      #expect(response.status == 400)
    }
    let twice = await stage.send(
      .post, fields: [form, ("Cookie", cookie)], body: "form_token=\(token)&a=1&a=2")
    #expect(twice.status == 400)
    #expect(stage.provider.requests.count == count)
  }

  @Test("B57 what the provider keeps in the browser is a cookie of its own that other sites' forms do not bring along")
  func session() async throws {
    let stage = try await PageStage()
    stage.provider.answer { _ in PageAnswer(.page("", status: 200), session: .keep("a-B_9", seconds: 60)) }
    let (cookie, _) = try await stage.browser()
    let kept = await stage.send(fields: [("Cookie", cookie)])
    #expect(
      kept.value(of: "Set-Cookie")
        == "__Host-speed-pages=a-B_9; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    stage.provider.answer { _ in PageAnswer(.redirect("/platform/pages?x=1"), session: .keep("x", seconds: nil)) }
    let session = await stage.send(fields: [("Cookie", "__Host-speed-pages=a-B_9; \(cookie)")])
    #expect(stage.provider.requests.last?.session == "a-B_9")
    #expect(session.status == 303 && session.value(of: "Location") == "/platform/pages?x=1")
    #expect(session.value(of: "Set-Cookie") == "__Host-speed-pages=x; Path=/; Secure; HttpOnly; SameSite=Lax")
    stage.provider.answer { _ in PageAnswer(.page("", status: 200), session: .forget) }
    let forgotten = await stage.send(fields: [("Cookie", cookie)])
    #expect(forgotten.value(of: "Set-Cookie")?.hasPrefix("__Host-speed-pages=; Path=/; Max-Age=0;") == true)
    for value in ["", "a b", "a;b", "a\r\nX: y", "é", String(repeating: "a", count: 257)] {
      stage.provider.answer { _ in PageAnswer(.page("", status: 200), session: .keep(value, seconds: 1)) }
      let response = await stage.send()
      #expect(response.status == 500 && response.value(of: "Set-Cookie") == nil)
    }
  }

  @Test(
    "a provider leads to no other place than the gateway's pages, and shows no page with another status",
    arguments: [
      "/", "https://evil.example/", "//evil.example/platform/", "/platform//evil", "/platform/\\evil", "/platform/a b",
      "/platform/\r\nX: y", "/platform/é", "/api/platform/auth/me", "/platform/#x",
    ])
  func badRedirect(path: String) async throws {
    let stage = try await PageStage()
    stage.provider.answer { _ in PageAnswer(.redirect(path)) }
    let response = await stage.send()
    #expect(response.status == 500 && response.value(of: "Location") == nil)
    #expect(response.value(of: "X-Speed-Error") == "internal")
    for status in [0, 100, 204, 302, 304, 500, 502, 70_000, -1] {
      stage.provider.answer { _ in .page("x", status: status) }
      #expect(await stage.send().status == 500)
    }
    for status in [200, 400, 429, 499, 503] {
      stage.provider.answer { _ in .page("x", status: status) }
      #expect(await stage.send().status == UInt16(status))
    }
  }

  @Test("what a provider throws is a page with its words")
  func failure() async throws {
    let stage = try await PageStage()
    stage.provider.answer { _ throws(ProviderFailure) in
      throw ProviderFailure(
        status: 503, code: "provider_unavailable", message: "Later <b>.", reason: "r", retryAfter: 9)
    }
    let response = await stage.send()
    #expect(response.status == 503 && response.value(of: "Retry-After") == "9")
    #expect(response.text.contains("Later &lt;b&gt;."))
  }

  @Test("forms are counted against the limit of sign-ins, looking at pages is not, and what ends is")
  func limit() async throws {
    let stage = try await PageStage(limits: "{ signIns: { requests: 3, per: 1m } }")
    for _ in 0..<5 { #expect(await stage.send().status == 200) }
    #expect(try await stage.post().status == 200)
    #expect(await stage.finish().status == 303)
    _ = await stage.exchange("{}")
    for response in [await stage.finish(), try await stage.post(), await stage.send(.post)] {
      #expect(response.status == 429 && response.value(of: "Content-Type") == "text/html; charset=utf-8")
      #expect(response.value(of: "Retry-After") != nil)
    }
    #expect(await stage.exchange("{}").status == 429)
  }

  @Test("the languages of the browser come best first")
  func languages() async throws {
    let stage = try await PageStage()
    for (field, languages) in [
      ("de-AT,de;q=0.9, en;q=0.8,*;q=0.5", ["de-at", "de", "en"]), ("fr;q=0.5, es , pt;q=0", ["es", "fr"]),
      ("", []), ("x y,<a>, de;q=x", []), ("en;q=0.2;x=1,ja;q=0.3", ["ja", "en"]),
    ] as [(String, [String])] {
      _ = await stage.send(fields: [("Accept-Language", field), ("User-Agent", String(repeating: "é", count: 200))])
      #expect(stage.provider.requests.last?.languages == languages, "\(field)")
      #expect(stage.provider.requests.last?.userAgent == String(repeating: "é", count: 128))
    }
  }

  @Test("a logo that is missing or too large is none")
  func logo() async throws {
    for name in ["missing.svg", "large.svg"] {
      let stage = try await PageStage(logo: name)
      #expect(await stage.send().status == 200)
      #expect(stage.provider.requests.last?.visit?.logo == nil)
    }
  }
}
