import GatewayBase
import GatewayTesting
import Testing

/// Section 3: an account of Apple's and one of the hosted sign-in become one person's.
@Suite("Links of accounts", .onWiresOfItsOwn) struct LinkTests {
  private func suggests(_ json: JSON) -> Bool { json["linkSuggestion"] == "matching_email" }

  @Test("B69 B73 B74 every state of a sign-in with Apple: new or known, with a match or none, linked either way")
  func states() throws {
    let scene = try SpeedScene()
    let ada = PageVisitor(scene)
    let speed = try ada.signUp("ada@example.org")
    #expect(speed["isNewAccount"] == true && speed["isLocalUser"] == false && !suggests(speed))
    let subject = TokenRequest.freshSubject()
    let first = try scene.apple(subject, email: "ADA@Example.org")
    #expect(first["isNewAccount"] == true && first["isLocalUser"] == true && suggests(first))
    #expect(first["user"]["id"] != speed["user"]["id"])
    let again = try scene.apple(subject, email: "ada@example.org")
    #expect(again["isNewAccount"] == false && again["isLocalUser"] == true && suggests(again))
    let other = TokenRequest.freshSubject()
    for isNew in [true, false] {
      let json = try scene.apple(other, email: "eve@example.org")
      #expect(json["isNewAccount"] == .bool(isNew) && json["isLocalUser"] == true && !suggests(json))
    }
    // Both logins go on working until the user links, and say the same afterwards.
    #expect(try ada.visit()["user"]["id"] == speed["user"]["id"])
    #expect(try scene.link(first, ada.visit(isLinking: true), keep: "local").status == 200)
    let keptLocal = try scene.apple(subject, email: "ada@example.org")
    #expect(keptLocal["isLocalUser"] == false && !suggests(keptLocal) && keptLocal["user"]["name"] == "Ada Speed")
    #expect(keptLocal["user"]["id"] == first["user"]["id"])
    #expect(try ada.visit()["user"]["id"] == first["user"]["id"])
    let eve = PageVisitor(scene)
    let linking = try eve.signUp("eve@speed.example", name: "Eve Speed", isLinking: true)
    let local = try scene.apple(other, email: "eve@example.org")
    let kept = try scene.link(local, linking, keep: "speed").json()
    #expect(kept["previousUserId"] == local["user"]["id"] && kept["user"]["id"] == linking["user"]["id"])
    let keptSpeed = try scene.apple(other, email: "eve@example.org")
    #expect(keptSpeed["isNewAccount"] == false && keptSpeed["isLocalUser"] == false && !suggests(keptSpeed))
    #expect(keptSpeed["user"]["id"] == kept["user"]["id"] && keptSpeed["user"]["name"] == "Eve Speed")
    #expect(try eve.visit()["user"]["id"] == kept["user"]["id"])
  }

  @Test("B70 B71 B75 over the wire: the conflict, the choice, and a token that is good once and for nothing else")
  func rows() throws {
    let scene = try SpeedScene()
    let ada = PageVisitor(scene)
    let speed = try ada.signUp("ada@example.org")
    let (local, other) = (try scene.apple(TokenRequest.freshSubject()), try scene.apple(TokenRequest.freshSubject()))
    let linking = try ada.visit(isLinking: true)
    let token = try #require(linking["token"].string)
    #expect(try scene.gateway.me(token).status == 401)
    #expect(try scene.gateway.exchange(.authorized("GET", "/", host: SpeedScene.app.host, bearer: token)).status == 401)
    let path = "/api/platform/apps/\(SpeedScene.app.id)/users/\(local["user"]["id"].string ?? "")/balance"
    let purchase: [String: JSON] = ["amount": 120, "reason": "purchase", "idempotencyKey": "p1"]
    let credit = try scene.call("POST", "\(path)/adjustments", bearer: SpeedScene.serverKey, purchase)
    #expect(credit.status == 201)
    let conflict = try scene.link(local, linking)
    #expect(conflict.status == 409 && conflict.errorCode == "app_data_conflict")
    let kept = try scene.link(local, linking, keep: "speed")
    let json = try kept.json()
    #expect(kept.status == 200 && json["user"]["id"] == speed["user"]["id"])
    #expect(json["appUserUUID"] == speed["appUserUUID"] && json["previousUserId"] == local["user"]["id"])
    #expect(try scene.gateway.me(try #require(local["token"].string)).status == 401)
    #expect(try scene.gateway.me(try #require(json["token"].string)).json()["balance"] == 120)
    // Under the old name too, as a purchase may have been begun with it.
    #expect(try scene.call("GET", path, bearer: SpeedScene.serverKey).json()["balance"] == 120)
    #expect(try scene.call("POST", "\(path)/adjustments", bearer: SpeedScene.serverKey, purchase).status == 200)
    let replay = try scene.link(other, linking, keep: "local")
    #expect(replay.status == 400 && replay.errorCode == "invalid_speed_token")
    let inUse = try scene.link(other, ada.visit(isLinking: true), keep: "local")
    #expect(inUse.status == 409 && inUse.errorCode == "speed_account_in_use")
  }

  @Test("backends hear at once that an account is linked, and within two seconds where another node did it")
  func headers() throws {
    let scene = try SpeedScene()
    let second = try scene.secondNode()
    let local = try scene.apple(TokenRequest.freshSubject())
    let bearer = try #require(local["token"].string)
    func isLocal(at node: GatewayProcess) throws -> Bool {
      let fields = try scene.seen(bearer, at: node)
      let claims = try JWTText(try #require(fields["X-Speed-Assertion"])).claims
      #expect(claims["local"] == .bool(fields["X-Speed-Local-User"] == "true"))
      return fields["X-Speed-Local-User"] == "true"
    }
    for node in [scene.gateway, second] { #expect(try isLocal(at: node)) }
    let linking = try PageVisitor(scene).signUp("ada@example.org", isLinking: true)
    #expect(try scene.link(local, linking).status == 200)
    #expect(try !isLocal(at: scene.gateway))
    #expect(try eventually(seconds: 2) { try !isLocal(at: second) })
    let unlink = try scene.call("DELETE", "/api/platform/auth/me/speed-link", bearer: bearer)
    #expect(try unlink.status == 200 && unlink.json()["isLocalUser"] == true)
    #expect(try isLocal(at: scene.gateway))
    #expect(try eventually(seconds: 2) { try isLocal(at: second) })
  }

  @Test("a deleted linked account is gone, and both ways in begin anew")
  func deletion() throws {
    let scene = try SpeedScene()
    let (ada, subject) = (PageVisitor(scene), TokenRequest.freshSubject())
    let local = try scene.apple(subject)
    #expect(try scene.link(local, ada.signUp("ada@example.org", isLinking: true)).status == 200)
    let bySpeed = try ada.visit()
    #expect(bySpeed["user"]["id"] == local["user"]["id"] && bySpeed["isNewAccount"] == false)
    #expect(try scene.gateway.deleteAccount(try #require(local["token"].string)).status == 200)
    #expect(try scene.gateway.me(try #require(bySpeed["token"].string)).status == 401)
    for json in [try scene.apple(subject), try ada.visit()] {
      #expect(json["isNewAccount"] == true && json["user"]["id"] != local["user"]["id"])
    }
  }

  @Test("of ten links at once one counts")
  func race() throws {
    let scene = try SpeedScene()
    let local = try scene.apple(TokenRequest.freshSubject())
    let ada = PageVisitor(scene)
    var tokens = [try ada.signUp("ada@example.org", isLinking: true)]
    while tokens.count < 10 { tokens.append(try ada.visit(isLinking: true)) }
    let all = tokens
    let statuses = try Parallel.run(10) { index in
      try scene.link(local, all[index], keep: ["local", "speed"][index % 2]).status
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.allSatisfy { [200, 400, 401, 409].contains($0) })
  }
}
