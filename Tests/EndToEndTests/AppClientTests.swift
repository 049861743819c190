import Foundation
import GatewayTesting
import SpeedAuth
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The library for apps against the real gateway, on every wire.
@Suite("App client", .onEveryWire) struct AppClientTests {
  private func install(_ app: App = .alpha) throws -> AppInstall {
    let stage = try Stage.shared()
    return try AppInstall(app, of: stage.gateway, stage.sandbox)
  }

  private func request(_ install: AppInstall, _ path: String) async throws -> URLRequest {
    URLRequest(url: try #require(URL(string: "http://\(App.alpha.host):\(try Stage.shared().gateway.port)\(path)")))
  }

  @Test("a user signs in with Apple, is known to the app and its backend, and is gone with the account")
  func journey() async throws {
    let (install, subject) = (try install(), TokenRequest.freshSubject())
    let first = try await install.apple(subject, name: "Ada Example")
    #expect(first.isNewAccount && first.session.isLocalUser && first.session.user.name == "Ada Example")
    #expect(first.session.method == .apple && first.offer == .inSettings)
    let profile = try await install.client.me()
    #expect(profile.user == first.session.user && profile.appUserUUID == first.session.appUserUUID)
    #expect(profile.balance == 0)
    let (data, response) = try await install.client.data(for: try await request(install, "/who"))
    #expect(response.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self).contains(first.session.user.id))
    let again = try await install.apple(subject)
    #expect(!again.isNewAccount && again.session.user.id == first.session.user.id)
    try await install.client.deleteAccount()
    #expect(try await install.client.session == nil)
    #expect(try await install.client.method == nil)
    let new = try await install.apple(subject)
    #expect(new.isNewAccount && new.session.user.id != first.session.user.id)
  }

  @Test("a session that ended elsewhere ends here with the first 401, of the app's requests and of the platform's")
  func ends() async throws {
    for isOwnRequest in [true, false] {
      let install = try install()
      let token = try await install.apple(TokenRequest.freshSubject()).session.token
      #expect(try Stage.shared().gateway.signOut(token.text).status == 204)
      await #expect(throws: SpeedAuthError.sessionEnded(.apple)) {
        if isOwnRequest {
          _ = try await install.client.data(for: try await request(install, "/"))
        } else {
          _ = try await install.client.me()
        }
      }
      #expect(try await install.client.session == nil)
      #expect(try await install.client.method == .apple)
    }
  }

  @Test("signing out ends the token; what is refused says why")
  func signOut() async throws {
    let install = try install()
    let credential = try install.credential(TokenRequest.freshSubject())
    let token = try await install.client.signIn(credential).session.token
    try await install.client.signOut()
    #expect(try Stage.shared().gateway.me(token.text).status == 401)
    await #expect {
      try await install.client.signIn(credential)
    } throws: { ($0 as? SpeedAuthError)?.code == .invalidIdentityToken }
    let closed = try self.install(.closed)
    await #expect {
      try await closed.apple(TokenRequest.freshSubject())
    } throws: { ($0 as? SpeedAuthError)?.code == .providerNotEnabled }
  }

  @Test("a WebSocket's upgrade carries the token as a subprotocol, and the gateway answers with `speed`", .aboutHTTP1)
  func webSocket() async throws {
    let install = try install()
    _ = try await install.apple(TokenRequest.freshSubject())
    let gateway = try Stage.shared().gateway
    let url = try #require(URL(string: "ws://\(App.alpha.host):\(gateway.port)/live"))
    let upgrade = try await install.client.webSocketRequest(url)
    var fields = (upgrade.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
    fields += [
      ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
      ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("X-Mark", "\(Marker())"),
    ]
    let answer = try gateway.exchange(HTTPRequest("GET", "/live", host: App.alpha.host, fields: fields))
    // The backend of all tests agrees to no upgrade: the token has been judged when it answers.
    #expect(answer.status == 200)
    let seen = try answer.echoedFields()
    #expect(seen["Sec-WebSocket-Protocol"] == "speed" && seen["X-Speed-Request-From"] == "app")
  }
}

/// What needs accounts of the hosted pages, or processes of its own.
@Suite("App client: both ways in", .onWiresOfItsOwn) struct AppClientSceneTests {
  @Test("every state of a sign-in as the app is told it, and each link that follows from it")
  func states() async throws {
    let scene = try SpeedScene()
    let (ada, eve) = (PageVisitor(scene), PageVisitor(scene))
    let web = try AppInstall(scene)
    let speed = try await web.speed { try ada.signUp("ada@example.org", query: $0) }
    #expect(speed.state == .linked && speed.offer == .none && speed.session.method == .speed)
    let phone = try AppInstall(scene)
    let subject = TokenRequest.freshSubject()
    #expect(try await phone.apple(subject, email: "ada@example.org").state == .newWithMatch)
    let known = try await phone.apple(subject, email: "ada@example.org")
    #expect(known.state == .knownWithMatch && known.offer == .atEverySignIn)
    // Both have data: nothing changes until the user has chosen, and the token is still good then.
    let token = try await phone.speedToken { try ada.visit(query: $0) }
    #expect(try await phone.client.session == known.session, "linking begins no session")
    await #expect(throws: SpeedAuthError.dataConflict(token)) { try await phone.client.link(token) }
    let kept = try await phone.client.link(token, keep: .local)
    #expect(kept.state == .linked && kept.previousUserID == nil && kept.session.user.id == known.session.user.id)
    #expect(kept.session.token == known.session.token && kept.session.method == .apple)
    #expect(try await phone.client.me().isLocalUser == false)
    #expect(try await phone.client.unlink().isLocalUser)
    // An account without data on the other side, and one whose data goes.
    let other = try AppInstall(scene)
    let stranger = TokenRequest.freshSubject()
    #expect(try await other.apple(stranger, email: "x@privaterelay.appleid.com").state == .newWithoutMatch)
    let local = try await other.apple(stranger, email: "x@privaterelay.appleid.com")
    #expect(local.state == .knownWithoutMatch && local.offer == .inSettings)
    let proof = try await other.speedToken { try eve.signUp("eve@example.org", name: "Eve Speed", query: $0) }
    let linked = try await other.client.link(proof, keep: .speed)
    #expect(linked.previousUserID == local.session.user.id && linked.session.user.id != local.session.user.id)
    #expect(linked.session.token != local.session.token && linked.session.appUserUUID != local.session.appUserUUID)
    #expect(try await other.client.me().user.id == linked.session.user.id)
    #expect(try await other.apple(stranger).session.user.id == linked.session.user.id)
    await #expect {
      try await other.client.link(proof)
    } throws: { ($0 as? SpeedAuthError)?.code == .notLinkable }
  }

  @Test("a code is worth nothing to another visit, and who says no is told apart from a failure")
  func visits() async throws {
    let scene = try SpeedScene()
    let (ada, install) = (PageVisitor(scene), try AppInstall(scene))
    let visit = try install.client.signInVisit()
    let end = try ada.signUp("ada@example.org", query: try #require(visit.url.query()))
    let callback = try #require(URL(string: end))
    await #expect {
      try await install.client.signIn(try install.client.signInVisit(), endedAt: callback)
    } throws: { ($0 as? SpeedAuthError)?.code == .invalidCode }
    let link = try install.client.linkVisit(bringsCode: false)
    let brought = try ada.visit(query: try #require(link.url.query()))
    #expect(brought.contains("_speed_auth_data="))
    _ = try await install.client.speedToken(link, endedAt: try #require(URL(string: brought)))
    await #expect(throws: SpeedAuthError.declined) {
      try await install.speedToken { try ada.visit(query: $0, decision: "deny") }
    }
  }

  @Test("short sessions: twenty requests with a token that is over renew it once, and the next start goes on with it")
  func renewal() async throws {
    let scene = try AppleScene(lines: ["sessions: { lifetime: 15m, refresh: true }"])
    let storage = MemoryStorage()
    let install = try AppInstall(AppleScene.app, of: scene.gateway, scene.sandbox, storage: storage)
    let first = try await install.apple(TokenRequest.freshSubject(), code: true).session
    // Time can't be turned on, so the session is given a token that the gateway takes no more.
    var record = try #require(storage.load())
    record = try JSONDecoder().decode(
      SessionRecord.self,
      from: Data(
        String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
          .replacing(first.token.text, with: "over").utf8))
    storage.save(record)
    let next = try AppInstall(AppleScene.app, of: scene.gateway, scene.sandbox, storage: storage)
    let page = URLRequest(
      url: try #require(URL(string: "http://\(AppleScene.app.host):\(scene.gateway.port)/")))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await next.client.data(for: page).1.statusCode } }
      for try await status in group { #expect(status == 200) }
    }
    let renewed = try #require(try await next.client.session)
    #expect(renewed.token != first.token && renewed.refreshToken != first.refreshToken)
    let last = try AppInstall(AppleScene.app, of: scene.gateway, scene.sandbox, storage: storage)
    #expect(try await last.client.me().user.id == first.user.id)
  }

  @Test("a deletion with Apple's code revokes Apple's tokens, and one of another account deletes nothing")
  func deletion() async throws {
    let scene = try AppleScene()
    let install = try AppInstall(AppleScene.app, of: scene.gateway, scene.sandbox)
    let subject = TokenRequest.freshSubject()
    _ = try await install.apple(subject, code: true)
    let foreign = try install.credential(TokenRequest.freshSubject(), code: true).authorizationCode
    await #expect {
      try await install.client.deleteAccount(authorizationCode: foreign)
    } throws: { ($0 as? SpeedAuthError)?.code == .appleAccountMismatch }
    #expect(try await install.client.me().user.id == (try await install.client.session?.user.id))
    try await install.client.deleteAccount(
      authorizationCode: try install.credential(subject, code: true).authorizationCode)
    #expect(try eventually { try scene.count("revoke") > 0 })
    #expect(try await install.client.session == nil)
  }

  @Test("by URLSession: sign-in, requests, and a redirect to another host, which gets no token")
  func urlSession() async throws {
    let other = try ScriptedBackend()
    let backend = try ScriptedBackend { exchange in
      guard exchange.request.target == "/away" else { return try exchange.echo() }
      try exchange.reply(302, [("Location", "http://127.0.0.1:\(other.port)/landed")])
    }
    let sandbox = try SandboxProcess()
    let app = App(id: 501, host: "url.localhost", bundleID: "com.example.url")
    let tenant = TenantFile(app.id, app.host, bundleIDs: [app.bundleID], ports: [backend.port])
    let gateway = try GatewayProcess(GatewaySetup(keysURL: sandbox.keysURL, tenants: ["url.yaml": tenant.yaml]))
    let install = try AppInstall(app, of: gateway, sandbox, transport: URLSessionTransport())
    let token = try await install.apple(TokenRequest.freshSubject(), name: "Zoë 🚲").session.token
    let away = URLRequest(url: try #require(URL(string: "http://\(app.host):\(gateway.port)/away")))
    #expect(try await install.client.data(for: away).1.statusCode == 200)
    #expect(other.requests.map(\.target) == ["/landed"])
    #expect(!other.received(token.text) && !other.received("X-Speed-Request-From"))
    try await install.client.signOut()
  }
}
