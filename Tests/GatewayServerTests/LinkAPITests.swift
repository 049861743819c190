import GatewayBase
import GatewayHTTP
import GatewayIdentity
import GatewayProxy
import ProviderKit
import Testing

@testable import GatewayServer

/// An app's side of a link: sign-ins, and calls of the platform API with what they gave.
struct LinkStage {
  static let serverKey = "sk_0123456789abcdef"

  let stage: PageStage

  init(stage: PageStage) { self.stage = stage }

  init() async throws {
    stage = try await PageStage(lines: ["usage: { source: local }", "serverKeys: [{ id: main, file: server.key }]"])
    try stage.folder.write("tenants/server.key", Array("\(Self.serverKey)\n".utf8))
  }

  /// The JSON of a sign-in at app 1.
  ///
  /// - Parameter isShared: with a regular account.
  func signIn(_ subject: String, isShared: Bool, linking: Bool = false) async throws -> JSONValue {
    stage.provider.answer { _ in
      let identity = VerifiedIdentity(
        issuer: isShared ? "speed" : "local", subject: subject, email: "\(subject)@example.org", emailVerified: true,
        fullName: isShared ? "Speed \(subject)" : "Local \(subject)", replayKeys: [], isShared: isShared)
      return PageAnswer(.finished(.identity(identity)))
    }
    let response = await stage.send(query: PageStage.query(linking ? [("link", "1")] : []))
    return try JSONValue(parsing: Array(try #require(response.brought?["_speed_auth_data"]).utf8))
  }

  func call(
    _ method: HTTPMethod, _ path: String, bearer: String?, query: String? = nil, _ body: String = ""
  ) async throws -> (status: UInt16, json: JSONValue) {
    let response = await stage.api.respond(
      to: ServiceRequest(
        method: method, methodText: "\(method.name)", host: "api.example.com", path: path, query: query,
        fields: bearer.map { [ServiceField("Authorization", "Bearer \($0)")] } ?? [], body: Array(body.utf8),
        address: .v4(0xC633_6401), requestID: "r-3"))
    return (response.status, response.body.isEmpty ? .null : try JSONValue(parsing: response.body))
  }

  func link(
    _ bearer: String, _ speedToken: String?, keep: String? = nil
  ) async throws -> (status: UInt16, json: JSONValue) {
    let members = [speedToken.map { "\"speedToken\":\"\($0)\"" }, keep.map { "\"keep\":\"\($0)\"" }].compactMap { $0 }
    return try await call(
      .post, "/api/platform/auth/link", bearer: bearer, "{\(members.joined(separator: ","))}")
  }

  func me(_ bearer: String) async throws -> (status: UInt16, json: JSONValue) {
    try await call(.get, "/api/platform/auth/me", bearer: bearer)
  }
}

extension JSONValue {
  fileprivate var token: String { self["token"]?.string ?? "" }
  fileprivate var user: String { self["user"]?["id"]?.string ?? "" }
  fileprivate var code: String? { self["error"]?.string }
}

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

@Suite("Balances over the API") struct BalanceAPITests {
  private func path(_ user: String, _ rest: String = "", app: Int64 = 1) -> String {
    "/api/platform/apps/\(app)/users/\(user)/balance\(rest)"
  }

  @Test("an app's server adjusts a balance and reads it, by id and by appUserUUID")
  func adjustments() async throws {
    let stage = try await LinkStage()
    let ada = try await stage.signIn("ada", isShared: false)
    let uuid = try #require(ada["appUserUUID"]?.string)
    let key = LinkStage.serverKey
    func adjust(_ body: String, _ user: String? = nil) async throws -> (status: UInt16, json: JSONValue) {
      try await stage.call(.post, path(user ?? ada.user, "/adjustments"), bearer: key, body)
    }
    let purchase = #"{"amount":500,"reason":"purchase","idempotencyKey":"k1","reference":"r1"}"#
    let made = try await adjust(purchase)
    #expect(made.status == 201 && made.json["balanceAfter"]?.integer == 500 && made.json["reference"]?.string == "r1")
    let again = try await adjust(purchase, uuid)
    #expect(again.status == 200 && again.json == made.json)
    let conflict = try await adjust(purchase.replacing("500", with: "501"))
    #expect(conflict.status == 409 && conflict.json.code == "idempotency_conflict")
    let below = try await adjust(#"{"amount":-501,"reason":"refund","idempotencyKey":"k2"}"#)
    #expect(below.status == 409 && below.json.code == "insufficient_balance")
    #expect(try await adjust(#"{"amount":-20,"reason":"refund","idempotencyKey":"k2"}"#).status == 201)
    for user in [ada.user, uuid, uuid.uppercased()] {
      let balance = try await stage.call(.get, path(user), bearer: key)
      #expect(balance.status == 200 && balance.json == .object(["balance": .integer(480), "speedBalance": .null]))
    }
    #expect(try await stage.me(ada.token).json["balance"]?.integer == 480)
    let first = try await stage.call(.get, path(ada.user, "/adjustments"), bearer: key, query: "limit=1")
    #expect(first.json["adjustments"]?.array?.first?["amount"]?.integer == -20)
    let cursor = try #require(first.json["cursor"]?.string)
    let last = try await stage.call(
      .get, path(ada.user, "/adjustments"), bearer: key, query: "limit=1&cursor=\(cursor)")
    #expect(last.json["adjustments"]?.array == [made.json] && last.json["cursor"] == .null)
  }

  @Test("what is no adjustment is said to be none")
  func malformed() async throws {
    let stage = try await LinkStage()
    let user = try await stage.signIn("ada", isShared: false).user
    let good = ["amount": "1", "reason": "\"gift\"", "idempotencyKey": "\"k\""]
    let long = "\"\(String(repeating: "x", count: 201))\""
    for (name, value) in [
      ("amount", "0"), ("amount", "1.5"), ("amount", "\"1\""), ("amount", "1000000000000001"),
      ("amount", "-9223372036854775808"), ("reason", "\"bribe\""), ("reason", "1"), ("idempotencyKey", "\"\""),
      ("idempotencyKey", long), ("idempotencyKey", "1"), ("reference", long), ("reference", "1"),
    ] {
      let members = good.merging([name: value]) { $1 }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
      let answer = try await stage.call(
        .post, path(user, "/adjustments"), bearer: LinkStage.serverKey, "{\(members)}")
      #expect(answer.status == 400 && answer.json.code == "invalid_request", "\(name) \(value)")
    }
    for query in ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=0", "limit=1&limit=1"] {
      let answer = try await stage.call(
        .get, path(user, "/adjustments"), bearer: LinkStage.serverKey, query: query)
      #expect(answer.status == 400, "\(query)")
    }
  }

  @Test("only the app's own server key opens its balances, and only where they count")
  func access() async throws {
    let stage = try await LinkStage()
    let ada = try await stage.signIn("ada", isShared: false)
    for bearer in [ada.token, "sk_0123456789abcdeg", "sk_", LinkStage.serverKey + "x"] {
      let answer = try await stage.call(.get, path(ada.user), bearer: bearer)
      #expect(answer.status == 401 && answer.json.code == "invalid_token")
    }
    #expect(try await stage.call(.get, path(ada.user), bearer: nil).json.code == "missing_token")
    // App 2 has no key, and app 3 does not exist: nobody learns which.
    for app in [2, 3] as [Int64] {
      #expect(try await stage.call(.get, path(ada.user, app: app), bearer: LinkStage.serverKey).status == 401)
    }
    let unknown = try await stage.call(.get, path("nobody"), bearer: LinkStage.serverKey)
    #expect(unknown.status == 404 && unknown.json.code == "unknown_user")
    let method = try await stage.call(.delete, path(ada.user), bearer: LinkStage.serverKey)
    #expect(method.status == 405)
    for odd in ["/api/platform/apps/01/users/x/balance", "/api/platform/apps/1/users//balance"] {
      #expect(try await stage.call(.get, odd, bearer: LinkStage.serverKey).json.code == "no_route")
    }
    let plain = try await PageStage(lines: ["serverKeys: [{ id: main, file: server.key }]"])
    try plain.folder.write("tenants/server.key", Array(LinkStage.serverKey.utf8))
    let other = LinkStage(stage: plain)
    let user = try await other.signIn("ada", isShared: false).user
    let answer = try await other.call(
      .post, path(user, "/adjustments"), bearer: LinkStage.serverKey,
      #"{"amount":1,"reason":"gift","idempotencyKey":"k"}"#)
    #expect(answer.status == 409 && answer.json.code == "usage_source_not_local")
    #expect(try await other.call(.get, path(user), bearer: LinkStage.serverKey).status == 200)
  }
}
