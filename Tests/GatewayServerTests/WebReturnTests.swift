import GatewayBase
import GatewayProxy
import ProviderKit
import Testing

@testable import GatewayServer

/// How a visit ends: the answer by way of the target, or a code that is exchanged for it.
@Suite("The end of a visit") struct WebReturnTests {
  private func json(_ text: String?) throws -> JSONValue {
    try JSONValue(parsing: Array(try #require(text).utf8))
  }

  private func body(_ code: String, _ verifier: String = PageStage.verifier) -> String {
    "{\"code\":\"\(code)\",\"codeVerifier\":\"\(verifier)\"}"
  }

  @Test("B66 the answer is in the target's query, beside what was there, and nothing keeps it")
  func answer() async throws {
    let stage = try await PageStage()
    let response = await stage.finish(PageStage.query(redirect: "\(PageStage.target)?keep=1"))
    #expect(response.status == 303)
    #expect(response.value(of: "Location")?.hasPrefix("\(PageStage.target)?keep=1&_speed_auth_data=%7B") == true)
    #expect(response.value(of: "Cache-Control") == "no-store" && response.value(of: "Referrer-Policy") == "no-referrer")
    let first = try json(response.brought?["_speed_auth_data"])
    #expect(first["isNewAccount"]?.bool == true && first["isLocalUser"]?.bool == false)
    #expect(first["user"]?["name"]?.string == "Ada" && first["user"]?["email"]?.string == "ada@example.org")
    #expect(first["token"]?.string != nil && first["appUserUUID"]?.string != nil)
    let second = try json(await stage.finish().brought?["_speed_auth_data"])
    #expect(second["isNewAccount"]?.bool == false && second["user"]?["id"] == first["user"]?["id"])
  }

  @Test("who declines comes back with access_denied")
  func declined() async throws {
    let stage = try await PageStage()
    stage.provider.answer { _ in PageAnswer(.finished(.declined)) }
    #expect(await stage.send().value(of: "Location") == "\(PageStage.target)?error=access_denied")
    let code = await stage.send(query: PageStage.query([("code_challenge", PageStage.challenge)]))
    #expect(code.value(of: "Location") == "\(PageStage.target)?error=access_denied")
  }

  @Test("B66 with a challenge a code comes back, which is the answer's once")
  func code() async throws {
    let stage = try await PageStage()
    let response = await stage.finish(PageStage.query([("code_challenge", PageStage.challenge)]))
    let brought = try #require(response.brought)
    #expect(brought.values.count == 1)
    let code = try #require(brought["code"])
    let answer = await stage.exchange(body(code))
    #expect(answer.status == 200 && answer.value(of: "Cache-Control") == "no-store")
    let json = try json(answer.text)
    #expect(json["isNewAccount"]?.bool == true && json["isLocalUser"]?.bool == false)
    #expect(json["token"]?.string != nil)
    let again = await stage.exchange(body(code))
    #expect(again.status == 400 && again.value(of: "X-Speed-Error") == "invalid_code")
  }

  @Test("a wrong verifier and an unknown code are invalid_code, and the first uses the code up")
  func wrongVerifier() async throws {
    let stage = try await PageStage()
    for verifier in [PageStage.challenge, "", "short"] {
      let response = await stage.finish(PageStage.query([("code_challenge", PageStage.challenge)]))
      let code = try #require(response.brought?["code"])
      for verifier in [verifier, PageStage.verifier] {
        let refused = await stage.exchange(body(code, verifier))
        #expect(refused.status == 400 && refused.value(of: "X-Speed-Error") == "invalid_code")
      }
    }
    #expect(await stage.exchange(body("unknown")).value(of: "X-Speed-Error") == "invalid_code")
    for text in ["", "[]", "{}", "{\"code\":\"x\"}", "{\"code\":1,\"codeVerifier\":\"x\"}"] {
      #expect(await stage.exchange(text).value(of: "X-Speed-Error") == "invalid_request")
    }
  }

  @Test("link=1 registers nobody with the app, and its token is no session")
  func linking() async throws {
    let stage = try await PageStage()
    let link = try json(await stage.finish(PageStage.query([("link", "1")])).brought?["_speed_auth_data"])
    let token = try #require(link["token"]?.string)
    #expect(link["isLocalUser"]?.bool == false && link["user"]?["name"]?.string == "Ada")
    #expect(await stage.me(token).status == 401)
    let coded = await stage.finish(PageStage.query([("link", "1"), ("code_challenge", PageStage.challenge)]))
    let exchanged = await stage.exchange(body(try #require(coded.brought?["code"])))
    #expect(exchanged.status == 200)
    #expect(await stage.me(try #require(try json(exchanged.text)["token"]?.string)).status == 401)
    let session = try json(await stage.finish().brought?["_speed_auth_data"])
    #expect(session["isNewAccount"]?.bool == true, "the app did not have the account")
    #expect(session["user"]?["id"] == link["user"]?["id"])
    #expect(await stage.me(try #require(session["token"]?.string)).status == 200)
  }

  @Test("an app's own account can't be offered for linking")
  func linkingLocal() async throws {
    let stage = try await PageStage()
    stage.provider.answer { _ in
      PageAnswer(.finished(.identity(VerifiedIdentity(issuer: "pages", subject: "x", replayKeys: []))))
    }
    #expect(await stage.send(query: PageStage.query([("link", "1")])).status == 500)
    #expect(await stage.send().status == 303)
  }

  @Test("a credential that was accepted before ends in a page, with the provider's code")
  func replayed() async throws {
    let stage = try await PageStage()
    let expiry = SystemClock().now.adding(seconds: 600).milliseconds
    stage.provider.answer { _ in
      let key = ReplayKey(digest: [UInt8](repeating: 7, count: 32), expiresAt: expiry)
      return PageAnswer(
        .finished(
          .identity(VerifiedIdentity(issuer: "pages", subject: "x", replayKeys: [key], isShared: true))))
    }
    #expect(await stage.send().status == 303)
    let again = await stage.send()
    #expect(again.status == 401 && again.value(of: "X-Speed-Error") == "refused")
    #expect(again.value(of: "Content-Type") == "text/html; charset=utf-8")
  }
}

extension PageStage {
  /// `GET me` with a token.
  func me(_ token: String) async -> ServiceResponse {
    await api.respond(
      to: ServiceRequest(
        method: .get, methodText: "GET", host: "api.example.com", path: "/api/platform/auth/me", query: nil,
        fields: [ServiceField("Authorization", "Bearer \(token)")], body: [], address: .v4(0xC633_6401),
        requestID: "r-3"))
  }
}
