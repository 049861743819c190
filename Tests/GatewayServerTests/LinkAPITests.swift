import GatewayBase
import GatewayHTTP
import GatewayIdentity
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("Links over the API") struct LinkAPITests {
  @Test("B74 a link without a conflict keeps token and user, and shows the Speed account's profile")
  func plain() async throws {
    let stage = try await LinkStage()
    let local = try await stage.signIn("ada", isShared: false)
    let speed = try await stage.signIn("ada-speed", isShared: true, linking: true)
    #expect(local["isLocalUser"]?.bool == true && local["linkSuggestion"] == nil)
    #expect(speed["isLocalUser"]?.bool == false && speed["isNewAccount"]?.bool == false)
    let (status, linked) = try await stage.link(local.token, speed.token)
    #expect(status == 200 && linked.token == local.token && linked.user == local.user)
    #expect(linked["expiresAt"] == local["expiresAt"] && linked["appUserUUID"] == local["appUserUUID"])
    #expect(linked["isLocalUser"]?.bool == false && linked["previousUserId"] == nil)
    #expect(linked["user"]?["name"]?.string == "Speed ada-speed")
    #expect(linked["user"]?["email"]?.string == "ada-speed@example.org")
    let me = try await stage.me(local.token)
    #expect(me.status == 200 && me.json["isLocalUser"]?.bool == false && me.json["user"] == linked["user"])
    #expect(try await stage.signIn("ada-speed", isShared: true).user == local.user)
    #expect(try await stage.signIn("ada", isShared: false)["isLocalUser"]?.bool == false)
  }

  @Test("a token from the linking flow is no bearer, anywhere")
  func linkTokenIsNoBearer() async throws {
    let stage = try await LinkStage()
    let token = try await stage.signIn("ada", isShared: true, linking: true).token
    for (method, path) in [
      (HTTPMethod.get, "me"), (.delete, "me"), (.post, "sign-out"), (.post, "link"), (.delete, "me/speed-link"),
    ] {
      let answer = try await stage.call(method, "/api/platform/auth/\(path)", bearer: token, "{}")
      #expect(answer.status == 401 && answer.json.code == "invalid_token", "\(path)")
    }
  }

  @Test("B69 B70 B75 a conflict asks, and keep speed answers with another user, token and UUID")
  func keepSpeed() async throws {
    let stage = try await LinkStage()
    let speed = try await stage.signIn("ada-speed", isShared: true)
    let local = try await stage.signIn("ada", isShared: false)
    #expect(speed.user != local.user, "two accounts until they are linked")
    let speedToken = try await stage.signIn("ada-speed", isShared: true, linking: true).token
    let conflict = try await stage.link(local.token, speedToken)
    #expect(conflict.status == 409 && conflict.json.code == "app_data_conflict")
    #expect(try await stage.me(local.token).json["isLocalUser"]?.bool == true)
    let (status, kept) = try await stage.link(local.token, speedToken, keep: "speed")
    #expect(status == 200 && kept.user == speed.user && kept["appUserUUID"] == speed["appUserUUID"])
    #expect(kept["previousUserId"]?.string == local.user && kept["isLocalUser"]?.bool == false)
    #expect(kept.token != local.token && kept.token != speedToken)
    #expect(try await stage.me(local.token).status == 401)
    #expect(try await stage.me(kept.token).json.user == speed.user)
    #expect(try await stage.me(speed.token).status == 200)
    let again = try await stage.signIn("ada", isShared: false)
    #expect(again.user == speed.user && again["isNewAccount"]?.bool == false)
  }

  @Test("keep local keeps token and user, and ends the Speed account's own session in the app")
  func keepLocal() async throws {
    let stage = try await LinkStage()
    let speed = try await stage.signIn("ada-speed", isShared: true)
    let local = try await stage.signIn("ada", isShared: false)
    // An ordinary token is good too.
    let (status, kept) = try await stage.link(local.token, speed.token, keep: "local")
    #expect(status == 200 && kept.user == local.user && kept.token == local.token)
    #expect(try await stage.me(speed.token).status == 401)
    // In the second in which that session ended, too, what the linking flow gives is good.
    let (other, linking) = (
      try await stage.signIn("eve", isShared: false), try await stage.signIn("ada-speed", isShared: true, linking: true)
    )
    #expect(try await stage.link(other.token, linking.token).json.code == "speed_account_in_use")
    #expect(try await stage.signIn("ada-speed", isShared: true).user == local.user)
  }

  @Test("B71 every other answer of the contract")
  func refusals() async throws {
    let stage = try await LinkStage()
    let (local, other) = (
      try await stage.signIn("ada", isShared: false), try await stage.signIn("eve", isShared: false)
    )
    let regular = try await stage.signIn("regular", isShared: true)
    func speedToken(_ subject: String = "s") async throws -> String {
      try await stage.signIn(subject, isShared: true, linking: true).token
    }
    func expect(
      _ answer: (status: UInt16, json: JSONValue), _ status: UInt16, _ code: String,
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(answer.status == status && answer.json.code == code, sourceLocation: location)
    }
    expect(try await stage.link(regular.token, try await speedToken()), 400, "not_linkable")
    for bad in [nil, "", "x", local.token, other.token] as [String?] {
      expect(try await stage.link(local.token, bad), 400, "invalid_speed_token")
    }
    let token = try await speedToken()
    expect(try await stage.link(local.token, token, keep: "both"), 400, "invalid_request")
    expect(try await stage.call(.post, "/api/platform/auth/link", bearer: local.token, "[]"), 400, "invalid_request")
    expect(try await stage.call(.post, "/api/platform/auth/link", bearer: nil, "{}"), 401, "missing_token")
    expect(try await stage.call(.get, "/api/platform/auth/link", bearer: local.token), 405, "method_not_allowed")
    expect(
      try await stage.call(.delete, "/api/platform/auth/me/speed-link", bearer: local.token), 400, "not_linked")
    #expect(try await stage.link(local.token, token).status == 200)
    expect(try await stage.link(local.token, try await speedToken("t")), 400, "not_linkable")
    expect(try await stage.link(other.token, token), 400, "invalid_speed_token")
    for keep in [nil, "speed", "local"] as [String?] {
      expect(try await stage.link(other.token, try await speedToken(), keep: keep), 409, "speed_account_in_use")
    }
    let unlinked = try await stage.call(.delete, "/api/platform/auth/me/speed-link", bearer: local.token)
    #expect(unlinked.status == 200 && unlinked.json["token"] == nil && unlinked.json["isLocalUser"]?.bool == true)
    #expect(unlinked.json["user"]?["name"]?.string == "Local ada")
  }

  @Test("what a backend is told of an account is as it is now, in the header and in the assertion's claim")
  func gate() async throws {
    let stage = try await LinkStage()
    let local = try await stage.signIn("ada", isShared: false)
    let gate = stage.stage.gateway.platform.sessions.gate
    let now = SystemClock().now
    func isLocal() throws -> Bool {
      let admission = try #require(gate.admit(Array(local.token.utf8), now: now))
      let assertion = try #require(gate.assertion(for: admission, now: now)).text
      let payload = try #require(Base64URL.decode(assertion.split(separator: ".")[1].utf8))
      #expect(try JSONValue(parsing: payload)["local"]?.bool == admission.isLocalUser)
      #expect(gate.standing(of: admission) == .good(isLocalUser: admission.isLocalUser))
      return admission.isLocalUser
    }
    #expect(try isLocal())
    let speedToken = try await stage.signIn("s", isShared: true, linking: true).token
    #expect(try await stage.link(local.token, speedToken).status == 200)
    #expect(try !isLocal())
    #expect(try await stage.call(.delete, "/api/platform/auth/me/speed-link", bearer: local.token).status == 200)
    #expect(try isLocal())
  }
}
