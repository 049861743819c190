import AppleNative
import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("Sign in with Apple in a browser") struct WebTests {
  private let services = FakeServices(now: SignInCase.now)
  private let nonce = "nonce-of-the-gateway"
  private let callback = "https://dash.example/platform/auth/apple/callback"

  private var provider: any Provider {
    unsafe Unmanaged<ProviderEntry>.fromOpaque(speedProviderEntry()).takeRetainedValue().provider
  }

  private func begin(_ app: AppDescription = SignInCase().app, wantsPage: Bool = false) async throws(ProviderFailure)
    -> WebStep
  {
    try await provider.beginWebSignIn(
      WebSignInRequest(
        app: app, callbackURL: callback, state: "st", nonce: nonce, wantsPage: wantsPage, scriptNonce: "sn",
        requestID: "r"),
      using: services)
  }

  private func finish(_ changes: [String: Any] = [:], fields: [String: String] = [:], app: AppDescription? = nil) async
    -> Result<WebOutcome, ProviderFailure>
  {
    var claims = SignInCase().claims
    claims["aud"] = "com.example.alpha.web"
    claims["nonce"] = nonce
    claims.merge(changes) { $1 }
    let token = FakeServices.token(header: SignInCase().header, claims: claims, key: "secret-2")
    let all = ["id_token": token, "state": "st"].merging(fields) { $1 }.filter { $0.value != "-" }
    do throws(ProviderFailure) {
      return .success(
        try await provider.finishWebSignIn(
          WebCallback(app: app ?? SignInCase().app, callbackURL: callback, nonce: nonce, fields: all, requestID: "r"),
          using: services))
    } catch {
      return .failure(error)
    }
  }

  private func identity(_ result: Result<WebOutcome, ProviderFailure>) -> VerifiedIdentity? {
    if case .success(.identity(let identity)) = result { identity } else { nil }
  }

  private func reason(_ result: Result<WebOutcome, ProviderFailure>) -> String {
    switch result {
    case .success(.declined): "declined"
    case .success: "signed in"
    case .failure(let failure): failure.reason
    }
  }

  @Test("it begins at Apple with the Services ID, a form as the answer, and the gateway's state and nonce")
  func begins() async throws {
    guard case .redirect(let url) = try await begin() else { return #expect(Bool(false), "it is a redirect") }
    let parts = try #require(URLComponents(string: url))
    #expect(url.hasPrefix("https://appleid.apple.com/auth/authorize?"))
    let query = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value) }) { $1 }
    #expect(
      query == [
        "client_id": "com.example.alpha.web", "redirect_uri": callback, "response_type": "code id_token",
        "response_mode": "form_post", "scope": "name email", "state": "st", "nonce": nonce,
      ])
    let bare = AppDescription(appID: 1, name: "A", bundleIDs: ["com.example.alpha"])
    await #expect(throws: ProviderFailure.self) { _ = try await begin(bare) }
  }

  @Test("B49 the page has Apple's script in a popup, and nothing of the app's name is markup")
  func page() async throws {
    let app = AppDescription(appID: 1, name: "<script>alert(1)</script>", servicesID: "com.example.web\"</script>")
    guard case .page(let page, let origin) = try await begin(app, wantsPage: true) else {
      return #expect(Bool(false), "it is a page")
    }
    let html = page.markup
    #expect(origin == "https://appleid.cdn-apple.com")
    #expect(
      html.contains("usePopup: true") && html.contains("appleid.auth.js") && html.contains("AppleIDSignInOnFailure"))
    #expect(!html.contains("<script>") && !html.contains("web\"</script>"))
    #expect(html.contains("&lt;script&gt;alert(1)"))
  }

  @Test("B13 a token for the Services ID and with the gateway's nonce is an identity, the same as a native one")
  func identities() async throws {
    let web = try #require(identity(await finish()))
    let native = try await SignInCase().run()
    #expect(web.subject == native.subject && web.issuer == native.issuer && web.team == native.team)
    #expect(web.client == "com.example.alpha.web" && web.replayKeys.count == 2)
    #expect(reason(await finish(["aud": "com.example.alpha"])) == "audience")
    #expect(
      await SignInCase().with { $0.claims["aud"] = "com.example.alpha.web" }.outcome()
        == "401 invalid_identity_token (audience)")
  }

  @Test("B19 a Services ID that another app claims too signs nobody in: Apple would ask in that other app's name")
  func conflict() async {
    let app = AppDescription(
      appID: 1, name: "A", conflictedBundleIDs: ["com.example.alpha.web"], servicesID: "com.example.alpha.web")
    for wantsPage in [false, true] {
      let failure = await #expect(throws: ProviderFailure.self) { _ = try await begin(app, wantsPage: wantsPage) }
      #expect(failure?.status == 403 && failure?.code == "bundle_id_conflict")
    }
    #expect(reason(await finish(app: app)) == "bundle ID conflict")
  }

  @Test("B6 a nonce of another flow, none, or a bad token is refused")
  func refused() async {
    #expect(reason(await finish(["nonce": "another"])) == "nonce mismatch")
    #expect(reason(await finish(["nonce": Absent()])) == "no nonce claim")
    #expect(reason(await finish(["iss": "https://x.example"])) == "issuer")
    #expect(reason(await finish(["exp": SignInCase.nowSeconds - 300])) == "expired")
    #expect(reason(await finish(fields: ["id_token": "x.y.z"])) == "malformed token")
    #expect(reason(await finish(fields: ["id_token": "-"])) == "no identity token")
    #expect(reason(await finish(["c_hash": "x"], fields: ["code": "c"])) == "code hash")
  }

  @Test("B55 a user who does not want to is no fault", arguments: ["user_cancelled_authorize", "access_denied"])
  func cancels(error: String) async {
    #expect(reason(await finish(fields: ["error": error, "id_token": "-"])) == "declined")
  }

  @Test("B42 B45 of what is not signed the name counts, and nothing else")
  func user() async throws {
    let user = "{\"name\":{\"firstName\":\"Ada\",\"lastName\":\"Example\"},\"email\":\"victim@example.org\"}"
    let identity = try #require(identity(await finish(fields: ["user": user])))
    #expect(identity.fullName == "Ada Example" && identity.email == "ada@example.org")
    for (text, name) in [
      ("{\"name\":{\"firstName\":\"Ada\"}}", "Ada"), ("{\"name\":{}}", nil), ("{}", nil), ("[]", nil), ("x", nil),
      ("", nil), ("{\"name\":5}", nil),
      ("{\"name\":{\"firstName\":\"\",\"lastName\":\"E\"}}", "E"),
    ] as [(String, String?)] {
      let found = self.identity(await finish(fields: ["user": text]))
      #expect(found != nil && found?.fullName == name, "\(text)")
    }
  }

  @Test("a code of the web is exchanged with the redirect_uri that it was for")
  func code() async throws {
    let app = AppDescription(
      appID: 1, name: "A", bundleIDs: ["com.example.alpha"], teamID: "ABCDE12345", servicesID: "com.example.alpha.web",
      hasSignInKey: true)
    let identity = try #require(identity(await finish(fields: ["code": "c1"], app: app)))
    await services.answer((200, "{\"refresh_token\":\"r1\"}"))
    let outcome = try await provider.perform(
      TaskRequest(app: app, task: .followUp(try #require(identity.followUp))), using: services)
    #expect(outcome == .granted(ProviderGrant(client: "com.example.alpha.web", secret: Array("r1".utf8))))
    let fields = await services.posts[0].fields
    #expect(fields.contains(FormPost.Field("redirect_uri", callback)))
  }
}
