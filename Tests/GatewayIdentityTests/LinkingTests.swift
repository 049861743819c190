import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Linking") struct LinkingTests {
  @Test("without data in the app the link changes nothing but who backs the account", arguments: StoreEngine.allCases)
  func plain(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let local = try await scene.accounts.signIn(identity(fullName: "Ada Apple")).account.id
      try await scene.credit(5, local, key: "k")
      let linked = try await scene.link(local, try await scene.speedToken())
      #expect(linked.account.id == local && !linked.isLocalUser)
      #expect(linked.appUserUUID == "uuid-of-1-\(local)")
      let me = try #require(try await scene.accounts.profileWithBalance(user: local, app: 1))
      #expect(me.profile == linked && me.balance == 5)
      let body = String(decoding: linked.body(expiresAt: scene.fixture.clock.now), as: UTF8.self)
      #expect(body.contains("\"id\":\"\(local)\",\"name\":\"Ada Speed\",\"email\":\"ada@speed.example\""))
      #expect(body.contains("\"photo\":\"https://speed.example/ada.png\"") && body.contains("\"isLocalUser\":false"))
      // Both ways in reach it.
      let byApple = try await scene.accounts.signIn(identity())
      let bySpeed = try await scene.accounts.signIn(scene.speed(name: "Ada Newname"))
      #expect(byApple.account.id == local && bySpeed.account.id == local)
      #expect(!byApple.profile.isLocalUser && !bySpeed.profile.isLocalUser && !bySpeed.isNewAccount)
      #expect(bySpeed.profile.backing?.name == "Ada Newname")
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM memberships") == 0)
      #expect(try await scene.accounts.isRegistered(subject: "p1", issuer: "speed", app: 1))
    }
  }

  @Test("B70 with data on both sides nothing changes until the user has chosen", arguments: StoreEngine.allCases)
  func conflict(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      let local = try await scene.accounts.signIn(identity()).account.id
      let token = try await scene.speedToken()
      let before = try await scene.rows()
      await #expect(throws: LinkFailure.appDataConflict) { try await scene.link(local, token) }
      #expect(try await scene.rows() == before)
      // The refusal has not used the token up.
      #expect(try await scene.link(local, token, keep: .speed).account.id == speed)
    }
  }

  @Test(
    "B75 keep speed: the account becomes part of the Speed account, balance and history too",
    arguments: StoreEngine.allCases)
  func keepSpeed(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.credit(7, speed, key: "a")
      try await scene.credit(5, local, key: "b")
      try await scene.credit(-2, local, key: "c")
      let profile = try await scene.link(local, try await scene.speedToken(), keep: .speed)
      #expect(profile.account.id == speed && !profile.isLocalUser && profile.appUserUUID == "uuid-of-1-\(speed)")
      let apple = try await scene.accounts.signIn(identity())
      #expect(apple.account.id == speed && !apple.isNewAccount && !apple.profile.suggestsLinking)
      #expect(try await scene.accounts.signIn(scene.speed()).account.id == speed)
      #expect(try await scene.accounts.balance(user: speed, app: 1) == 10)
      let history = try await scene.accounts.adjustments(user: speed, app: 1, before: nil, limit: 10)
      #expect(history.map(\.adjustment.amount) == [-2, 5, 7])
      // The old user is gone, and its id and UUID lead to the one that took it in.
      #expect(try await scene.accounts.profile(user: local, app: 1) == nil)
      for name in [local, "uuid-of-1-\(local)", speed, "uuid-of-1-\(speed)"] {
        #expect(try await scene.accounts.user(named: name, app: 1) == speed, "\(name)")
      }
      for offset in [-100, 0, 100] as [Int64] {
        let time = scene.fixture.clock.now.adding(seconds: offset)
        #expect(scene.fixture.known.isRevoked(jti: "x", user: local, app: 1, issuedAt: time))
        #expect(!scene.fixture.known.isRevoked(jti: "x", user: speed, app: 1, issuedAt: time))
      }
    }
  }

  @Test("keep speed also serves a Speed account that has never been in the app", arguments: StoreEngine.allCases)
  func keepSpeedOfNew(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let local = try await scene.accounts.signIn(identity()).account.id
      let profile = try await scene.link(local, try await scene.speedToken(), keep: .speed)
      #expect(profile.account.id != local)
      #expect(try await scene.accounts.profile(user: profile.account.id, app: 1) == profile)
      #expect(try await scene.accounts.profile(user: profile.account.id, app: 2) == nil)
      // Deleting it takes the Apple identity along; the next sign-in is a new app-local account.
      #expect(try await scene.accounts.delete(user: profile.account.id, app: 1, by: .user))
      let again = try await scene.accounts.signIn(identity())
      #expect(again.isNewAccount && again.profile.isLocalUser && again.account.id != local)
      #expect(try await scene.accounts.signIn(scene.speed()).isNewAccount)
    }
  }

  @Test("keep speed: grants and work that waits move along, work in hand too", arguments: StoreEngine.allCases)
  func grants(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let (accounts, jobs) = (scene.accounts, scene.fixture.jobs)
      func grant(_ client: String) -> ProviderJob.Draft {
        ProviderJob.Draft(.release, provider: "apple", client: client, secret: Array("grant-\(client)".utf8))
      }
      let local = try await accounts.signIn(identity(followUp: [1])).account.id
      try await jobs.finish(try #require(try await jobs.claim(1).first), keeping: grant("kept"))
      _ = try await accounts.signIn(identity(followUp: [2]))
      let inHand = try #require(try await jobs.claim(1).first)
      _ = try await accounts.signIn(identity(followUp: [3]))
      let speed = try await scene.link(local, try await scene.speedToken(), keep: .speed).account.id
      let waiting = try #require(try await jobs.claim(1).first)
      #expect(waiting.user == speed && waiting.secret(scene.fixture.keys) == [3])
      try await jobs.finish(inHand, keeping: grant("in hand"))
      try await jobs.finish(waiting, keeping: grant("waiting"))
      #expect(try await jobs.claim(10).isEmpty, "nothing is released")
      #expect(try await accounts.delete(user: speed, app: 1, by: .user))
      let released = try await jobs.claim(10)
      #expect(Set(released.map(\.client)) == ["kept", "in hand", "waiting"])
      for job in released { #expect(job.secret(scene.fixture.keys) == Array("grant-\(job.client)".utf8)) }
    }
  }

  @Test("keep local: the Speed account's own data are reached by nobody", arguments: StoreEngine.allCases)
  func keepLocal(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      try await scene.credit(9, speed, key: "a")
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.credit(5, local, key: "b")
      let profile = try await scene.link(local, try await scene.speedToken(), keep: .local)
      #expect(profile.account.id == local && profile.appUserUUID == "uuid-of-1-\(local)")
      #expect(try await scene.accounts.balance(user: local, app: 1) == 5)
      #expect(try await scene.accounts.signIn(scene.speed()).account.id == local)
      #expect(try await scene.accounts.profile(user: speed, app: 1) == nil)
      #expect(try await scene.accounts.user(named: speed, app: 1) == nil)
      #expect(scene.fixture.known.isRevoked(jti: "x", user: speed, app: 1, issuedAt: scene.fixture.clock.now))
      #expect(!scene.fixture.known.isRevoked(jti: "x", user: local, app: 1, issuedAt: scene.fixture.clock.now))
      // Its rows are still there, and other apps see nothing of it.
      #expect(try await scene.fixture.count("SELECT amount FROM balances WHERE user_id = '\(speed)'") == 9)
      #expect(try await scene.register(app: 2) == speed)
    }
  }

  @Test("only an unlinked app-local account of the app can be linked", arguments: StoreEngine.allCases)
  func notLinkable(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let local = try await scene.accounts.signIn(identity()).account.id
      let regular = try await scene.register("p2")
      let elsewhere = try await scene.accounts.signIn(identity(app: 2)).account.id
      try await scene.link(local, try await scene.speedToken())
      for user in [local, regular, elsewhere, "nobody"] {
        for keep in [nil, .speed, .local] as [LinkRequest.Choice?] {
          let token = try await scene.speedToken("p3")
          await #expect(throws: LinkFailure.notLinkable, "\(user)") { try await scene.link(user, token, keep: keep) }
        }
      }
    }
  }

  @Test("B71 a speed token is a regular account's, in force, and good once", arguments: StoreEngine.allCases)
  func speedTokens(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let users = [
        try await scene.accounts.signIn(identity(subject: "1")).account.id,
        try await scene.accounts.signIn(identity(subject: "2")).account.id,
      ]
      for token in [scene.token(of: users[1]), scene.token(of: "nobody")] {
        await #expect(throws: LinkFailure.invalidSpeedToken) { try await scene.link(users[0], token) }
      }
      // A session of an account that does not have the app any more.
      let speed = try await scene.register()
      #expect(try await scene.accounts.delete(user: speed, app: 1, by: .user))
      await #expect(throws: LinkFailure.invalidSpeedToken) {
        try await scene.link(users[0], scene.token(of: speed, for: .session))
      }
      // One from before the person signed out everywhere.
      let before = try await scene.speedToken()
      try await scene.accounts.endSessions(subject: "p1", issuer: "speed")
      await #expect(throws: LinkFailure.invalidSpeedToken) { try await scene.link(users[0], before) }
      scene.fixture.clock.advance(seconds: 1)
      let token = try await scene.speedToken()
      try await scene.link(users[0], token)
      try await scene.accounts.unlink(user: users[0], app: 1, from: .none)
      await #expect(throws: LinkFailure.invalidSpeedToken) { try await scene.link(users[1], token) }
      try await scene.link(users[1], try await scene.speedToken())
    }
  }

  @Test("a session's token of a regular account is good as a speed token too", arguments: StoreEngine.allCases)
  func sessionToken(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      let local = try await scene.accounts.signIn(identity()).account.id
      let token = scene.token(of: speed, for: .session)
      await #expect(throws: LinkFailure.appDataConflict) { try await scene.link(local, token) }
      #expect(try await scene.link(local, token, keep: .local).account.id == local)
    }
  }

  @Test("a Speed account backs one account of an app, and one in each app", arguments: StoreEngine.allCases)
  func inUse(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      for (index, keep) in ([.local, .speed] as [LinkRequest.Choice]).enumerated() {
        let (person, first, second) = ("p\(index)", "\(index)-1", "\(index)-2")
        let local = try await scene.accounts.signIn(identity(subject: first)).account.id
        try await scene.link(local, try await scene.speedToken(person), keep: keep)
        let other = try await scene.accounts.signIn(identity(subject: second)).account.id
        for again in [nil, .speed, .local] as [LinkRequest.Choice?] {
          let token = try await scene.speedToken(person)
          await #expect(throws: LinkFailure.speedAccountInUse, "\(keep) \(String(describing: again))") {
            try await scene.link(other, token, keep: again)
          }
        }
        let elsewhere = try await scene.accounts.signIn(identity(app: 2, subject: first)).account.id
        try await scene.link(elsewhere, try await scene.speedToken(person, app: 2), app: 2)
      }
    }
  }

  @Test("an unlinked account is as it was, and can be linked again", arguments: StoreEngine.allCases)
  func unlinking(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let local = try await scene.accounts.signIn(identity(fullName: "Ada Apple")).account.id
      try await scene.credit(5, local, key: "k")
      await #expect(throws: LinkFailure.notLinked) {
        try await scene.accounts.unlink(user: local, app: 1, from: .none)
      }
      for _ in 0..<2 {
        try await scene.link(local, try await scene.speedToken())
        try await scene.accounts.unlink(user: local, app: 1, from: .none)
      }
      let me = try #require(try await scene.accounts.profileWithBalance(user: local, app: 1))
      #expect(me.profile.isLocalUser && me.profile.account.name == "Ada Apple" && me.balance == 5)
      let speed = try await scene.accounts.signIn(scene.speed())
      #expect(speed.isNewAccount && speed.account.id != local)
      await #expect(throws: LinkFailure.notLinked) {
        try await scene.accounts.unlink(user: speed.account.id, app: 1, from: .none)
      }
    }
  }

  @Test("deleting a linked account takes its link, and the app from the Speed account", arguments: StoreEngine.allCases)
  func deletion(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      try await scene.credit(9, speed, key: "a")
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.credit(5, local, key: "b")
      try await scene.link(local, try await scene.speedToken(), keep: .local)
      #expect(try await scene.accounts.delete(user: local, app: 1, by: .user))
      for table in [
        "links", "memberships", "balances", "balance_entries", "app_user_uuids WHERE user_id <> '\(speed)'",
      ] {
        #expect(try await scene.fixture.count("SELECT COUNT(*) FROM \(table)") == 0, "\(table)")
      }
      #expect(try await !scene.accounts.isRegistered(subject: "p1", issuer: "speed", app: 1))
      let again = try await scene.accounts.signIn(scene.speed())
      #expect(again.account.id == speed && again.isNewAccount && !again.profile.isLocalUser)
      let apple = try await scene.accounts.signIn(identity())
      #expect(apple.isNewAccount && apple.profile.isLocalUser)
      #expect(try await scene.accounts.balance(user: speed, app: 1) == 0)
    }
  }

  @Test("of ten links at once one counts, whatever they keep", arguments: StoreEngine.allCases)
  func race(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.credit(5, local, key: "k")
      let choices: [LinkRequest.Choice?] = [nil, .speed, .local]
      let tokens = try await (0..<10).asyncMap { try await scene.speedToken("p\($0 % 4)") }
      let results = await withTaskGroup(of: Profile?.self) { group in
        for (index, token) in tokens.enumerated() {
          group.addTask { try? await scene.link(local, token, keep: choices[index % 3]) }
        }
        return await group.reduce(into: [Profile?]()) { $0.append($1) }
      }
      let winners = results.compactMap { $0 }
      #expect(winners.count == 1)
      let winner = try #require(winners.first)
      #expect(try await scene.accounts.signIn(identity()).account.id == winner.account.id)
      #expect(try await scene.accounts.balance(user: winner.account.id, app: 1) == 5)
      let links = try await scene.fixture.count("SELECT COUNT(*) FROM links")
      #expect(links == (winner.account.id == local ? 1 : 0))
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM memberships") == 1 - (links ?? 0))
    }
  }

  @Test("of ten links with one token one counts", arguments: StoreEngine.allCases)
  func raceForToken(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let token = try await scene.speedToken()
      let users = try await (0..<10).asyncMap { try await scene.accounts.signIn(identity(subject: "\($0)")).account.id }
      let successes = await withTaskGroup(of: Bool.self) { group in
        for user in users { group.addTask { (try? await scene.link(user, token)) != nil } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(successes == 1)
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM links") == 1)
    }
  }

  @Test("both accounts' traces tell of a link, and what is known of a person does")
  func traces() async throws {
    try await withScene(.sqlite) { scene in
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.credit(5, local, key: "k")
      let linked = try await scene.link(local, try await scene.speedToken())
      let speed = try #require(linked.backing?.id)
      for user in [local, speed] {
        let record = try #require(try await scene.accounts.record(of: user))
        #expect(record["links"]?.array?.first?["speedUser"]?.string == speed)
        #expect(record["audit"]?.array?.contains { $0["act"]?.string == "link" } == true)
      }
      let record = try #require(try await scene.accounts.record(of: local))
      #expect(record["balances"]?.array?.first?["balance"]?.integer == 5)
      #expect(record["adjustments"]?.array?.first?["idempotencyKey"]?.string == "k")
      try await scene.accounts.unlink(user: local, app: 1, from: .none)
      let acts = try await scene.fixture.store.read {
        try $0.query("SELECT act FROM audit WHERE user_id = ? ORDER BY seq", [.text(local)]).map { try $0.text(0) }
      }
      #expect(acts == ["sign-in", "adjust", "link", "unlink"])
    }
  }
}

extension Range where Bound == Int {
  fileprivate func asyncMap<Element>(_ make: (Int) async throws -> Element) async throws -> [Element] {
    var elements: [Element] = []
    for index in self { elements.append(try await make(index)) }
    return elements
  }
}
