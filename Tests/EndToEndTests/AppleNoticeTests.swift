import GatewayBase
import GatewayTesting
import Testing

/// Section 5: Apple's server-to-server notifications.
@Suite("Apple's notifications", .onWiresOfItsOwn) struct AppleNoticeTests {
  private static let path = "/api/platform/auth/apple-notifications/\(AppleScene.app.id)"

  private func notify(_ scene: AppleScene, _ members: [String: JSON], app: Int = AppleScene.app.id) throws -> HTTPAnswer
  {
    let usual: [String: JSON] = ["aud": .string(AppleScene.app.bundleID)]
    let payload = try scene.sandbox.post("/sandbox/notification", .object(usual.merging(members) { $1 }))["payload"]
    return try post(scene, .object(["payload": payload]), app: app)
  }

  private func post(_ scene: AppleScene, _ body: JSON, app: Int = AppleScene.app.id) throws -> HTTPAnswer {
    try scene.gateway.exchange(
      HTTPRequest("POST", "/api/platform/auth/apple-notifications/\(app)", host: "api.localhost", json: body))
  }

  private func bearer(_ json: JSON) throws -> String { try #require(json["token"].string) }

  @Test("B98 B99 a withdrawn consent ends the sessions, a deletion the account, in every form and spelling")
  func events() throws {
    let scene = try AppleScene()
    for form in ["string", "object", "array"] {
      let subject = TokenRequest.freshSubject()
      let first = try bearer(try scene.signIn(subject: subject))
      #expect(
        try notify(scene, ["type": "consent-revoked", "sub": .string(subject), "form": .string(form)]).status == 200)
      #expect(try scene.gateway.me(first).status == 401)
      let again = try scene.signIn(subject: subject)
      #expect(again["isNewAccount"] == false)
      #expect(try scene.gateway.me(try bearer(again)).status == 200)
      for type in ["account-delete", "account-deleted"] {
        let current = try bearer(try scene.signIn(subject: subject))
        #expect(
          try notify(scene, ["type": .string(type), "sub": .string(subject), "form": .string(form)]).status == 200)
        #expect(try scene.gateway.me(current).status == 401)
        #expect(try scene.signIn(subject: subject)["isNewAccount"] == true)
      }
    }
  }

  @Test("a number in another spelling is no app's", arguments: ["+101", "0101", "-101", "101/", "0x65", ""])
  func spelling(number: String) throws {
    let stage = try Stage.shared()
    let answer = try stage.gateway.exchange(
      HTTPRequest(
        "POST", "/api/platform/auth/apple-notifications/\(number)", host: "api.localhost", json: ["payload": "x.y.z"]))
    #expect(answer.status == 404)
  }

  @Test("B102 a repeat answers 200 and does nothing")
  func repeats() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    _ = try scene.signIn(subject: subject)
    let time = SystemClock().now.milliseconds + 60_000
    let payload = try scene.sandbox.post(
      "/sandbox/notification",
      [
        "aud": .string(AppleScene.app.bundleID), "sub": .string(subject), "type": "account-delete",
        "eventTime": .integer(time),
      ])["payload"]
    #expect(try post(scene, .object(["payload": payload])).status == 200)
    let again = try scene.signIn(subject: subject)
    #expect(again["isNewAccount"] == true)
    for _ in 0..<3 { #expect(try post(scene, .object(["payload": payload])).status == 200) }
    // Other bytes of the same notification.
    #expect(try post(scene, .object(["payload": payload, "more": 1])).status == 200)
    #expect(try scene.gateway.me(try bearer(again)).status == 200)
  }

  @Test("B103 an event older than the last sign-in has no effect")
  func stale() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    let token = try bearer(try scene.signIn(subject: subject))
    for type in ["consent-revoked", "account-delete"] {
      #expect(
        try notify(scene, ["type": .string(type), "sub": .string(subject), "eventTimeOffset": -86_400]).status == 200)
    }
    #expect(try scene.gateway.me(token).status == 200)
  }

  @Test("B101 malformed is 400, unknown and signed is 200, and no body crashes anything")
  func malformed() throws {
    let scene = try AppleScene()
    for body in [[:], ["payload": 1], ["payload": "x.y.z"], ["payload": nil], [], "x"] as [JSON] {
      let answer = try post(scene, body)
      #expect(answer.status == 400 && answer.errorCode == "invalid_request")
    }
    for text in ["", "payload=", "payload=x.y.z", "{", "\u{FFFD}"] {
      let answer = try scene.gateway.exchange(
        HTTPRequest("POST", Self.path, host: "api.localhost", body: Array(text.utf8)))
      #expect(answer.status == 400)
    }
    #expect(try notify(scene, ["type": "something-new"]).status == 200)
    #expect(try notify(scene, ["type": "consent-revoked", "sub": "nobody"]).status == 200)
  }

  @Test("B19 another app's audience, issuer or key is 401 and without effect; an unknown app is 404")
  func foreign() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    let token = try bearer(try scene.signIn(subject: subject))
    let bad: [[String: JSON]] = [
      ["aud": "com.other.app"], ["aud": .string(AppleScene.team)], ["claims": ["iss": "https://evil.example"]],
      ["key": "foreign"],
      ["claims": ["exp": 1]],
    ]
    for changes in bad {
      let answer = try notify(
        scene, changes.merging(["sub": .string(subject), "type": "account-delete"]) { a, _ in a })
      #expect(answer.status == 401 && answer.errorCode == "invalid_notification")
    }
    // Another app's address with this app's audience, and a user of this app at another app's.
    #expect(try notify(scene, ["sub": .string(subject)], app: AppleScene.pair.id).status == 401)
    #expect(
      try notify(scene, ["aud": .string(AppleScene.pair.bundleID), "sub": .string(subject)], app: AppleScene.pair.id)
        .status == 200)
    #expect(try notify(scene, ["sub": .string(subject)], app: 999).errorCode == "Target not found")
    for number in ["+\(AppleScene.app.id)", "0\(AppleScene.app.id)"] {
      let path = "/api/platform/auth/apple-notifications/\(number)"
      let request = HTTPRequest("POST", path, host: "api.localhost", json: ["payload": "x"])
      #expect(try scene.gateway.exchange(request).errorCode == "Target not found")
    }
    #expect(try scene.gateway.me(token).status == 200)
    let get = try scene.gateway.exchange(HTTPRequest("GET", Self.path, host: "api.localhost"))
    #expect(get.status == 405 && get.fields["Allow"] == "POST")
  }

  @Test("the sandbox sends a notification by itself, as JSON and as a form")
  func sends() throws {
    let scene = try AppleScene()
    for body in ["json", "form"] {
      let subject = TokenRequest.freshSubject()
      let token = try bearer(try scene.signIn(subject: subject))
      let sent = try scene.sandbox.post(
        "/sandbox/notification",
        [
          "aud": .string(AppleScene.app.bundleID), "sub": .string(subject), "body": .string(body),
          "url": "http://api.localhost:\(scene.gateway.port)\(Self.path)",
        ])
      #expect(sent["status"] == 200, "\(sent["reason"])")
      #expect(try scene.gateway.me(token).status == 401)
    }
  }
}
