import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Shared accounts") struct SharedAccountTests {
  private func shared(
    _ subject: String = "p1", name: String? = "Ada", email: String? = "ada@example.org", emailVerified: Bool = true,
    photo: String? = nil
  ) -> SharedIdentity {
    SharedIdentity(
      issuer: "speed", subject: subject, name: name, email: email, emailVerified: emailVerified, photo: photo)
  }

  @Test("one account in all apps, new to each once", arguments: StoreEngine.allCases)
  func memberships(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      var (users, news) = ([String](), [Bool]())
      for app in [1, 2, 1, 2] as [Int64] {
        #expect(try await scene.accounts.isRegistered(subject: "p1", issuer: "speed", app: app) == (users.count > 1))
        let signIn = try await scene.accounts.signIn(scene.speed(app: app))
        users.append(signIn.account.id)
        news.append(signIn.isNewAccount)
        #expect(!signIn.profile.isLocalUser && signIn.account.app == nil)
        #expect(try await scene.accounts.profile(user: signIn.account.id, app: app) == signIn.profile)
      }
      #expect(Set(users).count == 1 && news == [true, true, false, false])
      #expect(try await scene.accounts.profile(user: users[0], app: 3) == nil)
    }
  }

  @Test("of twenty first sign-ins at once one makes the account", arguments: StoreEngine.allCases)
  func race(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let signIns = try await withThrowingTaskGroup(of: SignIn.self) { group in
        for _ in 0..<20 { group.addTask { try await scene.accounts.signIn(scene.speed()) } }
        return try await group.reduce(into: [SignIn]()) { $0.append($1) }
      }
      #expect(Set(signIns.map(\.account.id)).count == 1)
      #expect(signIns.filter(\.isNewAccount).count == 1)
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM users") == 1)
    }
  }

  @Test("what an account shows follows the identity", arguments: StoreEngine.allCases)
  func follows(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      try await scene.accounts.keep(shared(photo: "https://speed.example/1.png"))
      let user = try await scene.register()
      for identity in [
        shared(name: "Eve", email: "eve@example.org", photo: "https://speed.example/2.png"),
        shared(name: nil, email: "eve@example.org", emailVerified: false, photo: "javascript:alert(1)"),
      ] {
        try await scene.accounts.keep(identity)
        let account = try #require(try await scene.accounts.profile(user: user, app: 1)).account
        #expect(account.name == identity.name && account.email == identity.email && account.photo == identity.photo)
      }
      let account = try #require(try await scene.accounts.profile(user: user, app: 1)).account
      #expect(account.email == nil && account.photo == nil && !account.emailVerified)
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM users WHERE verified_email IS NOT NULL") == 0)
      await #expect(throws: SignInFailure.unusableSubject) { try await scene.accounts.keep(shared("")) }
    }
  }

  @Test("an address is the account's that verified it last", arguments: StoreEngine.allCases)
  func addresses(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      for (person, address) in [("p1", "ada@example.org"), ("p2", "ADA@example.org"), ("p1", "new@example.org")] {
        try await scene.accounts.keep(shared(person, email: address))
        #expect(try await scene.accounts.signIn(identity(email: address)).profile.suggestsLinking)
      }
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM users WHERE verified_email IS NOT NULL") == 2)
    }
  }

  @Test("a visit that links registers nothing", arguments: StoreEngine.allCases)
  func linkingVisit(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let visit = scene.speed()
      let profile = try await scene.accounts.linkingProfile(of: visit)
      #expect(!profile.isLocalUser && profile.account.name == "Ada Speed")
      #expect(try await scene.accounts.linkingProfile(user: profile.account.id, app: 1) == profile)
      #expect(try await !scene.accounts.isRegistered(subject: "p1", issuer: "speed", app: 1))
      #expect(try await scene.accounts.profile(user: profile.account.id, app: 1) == nil)
      await #expect(throws: SignInFailure.replayed) { _ = try await scene.accounts.linkingProfile(of: visit) }
      let local = try await scene.accounts.signIn(identity()).account.id
      #expect(try await scene.accounts.linkingProfile(user: local, app: 1) == nil)
    }
  }

  @Test(
    "signing out everywhere ends the tokens of all apps, and of accounts that it backs", arguments: StoreEngine.allCases
  )
  func endSessions(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register(app: 2)
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.link(local, try await scene.speedToken())
      let other = try await scene.register("p2", app: 2)
      try await scene.accounts.endSessions(subject: "p1", issuer: "speed")
      try await scene.accounts.endSessions(subject: "nobody", issuer: "speed")
      let node = Revocations(store: scene.fixture.store, clock: scene.fixture.clock, logger: scene.fixture.logger)
      try await node.poll()
      let now = scene.fixture.clock.now
      for set in [scene.fixture.known, node.known] {
        #expect(set.isRevoked(jti: "x", user: speed, app: 2, issuedAt: now))
        #expect(set.isRevoked(jti: "x", user: local, app: 1, issuedAt: now))
        #expect(!set.isRevoked(jti: "x", user: other, app: 2, issuedAt: now))
        #expect(!set.isRevoked(jti: "x", user: speed, app: 2, issuedAt: now.adding(seconds: 1)))
      }
    }
  }

  @Test("a sign-in that began before all sessions were ended gives none", arguments: StoreEngine.allCases)
  func begunBefore(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      _ = try await scene.register()
      let begunAt = scene.fixture.clock.now
      func visit(_ begunAt: UnixTime) -> VerifiedSignIn {
        VerifiedSignIn(
          app: 1, issuer: "speed", team: nil, subject: "p1", email: nil, emailVerified: false, isPrivateEmail: false,
          fullName: "Ada", replayKeys: [], provider: "speed", isShared: true, begunAt: begunAt)
      }
      _ = try await scene.accounts.signIn(visit(begunAt))
      try await scene.accounts.endSessions(subject: "p1", issuer: "speed")
      await #expect(throws: SignInFailure.ended) { try await scene.accounts.signIn(visit(begunAt)) }
      await #expect(throws: SignInFailure.ended) { try await scene.accounts.linkingProfile(of: visit(begunAt)) }
      _ = try await scene.accounts.signIn(visit(begunAt.adding(seconds: 1)))
    }
  }

  @Test("whatever ends all of a user's tokens in an app ends the codes for new ones", arguments: StoreEngine.allCases)
  func codesOfRevoked(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      try await scene.addCodes(of: speed)
      let now = scene.fixture.clock.now
      let revocations = Revocations(
        store: scene.fixture.store, clock: scene.fixture.clock, logger: scene.fixture.logger)
      let end = Revocation(.user(speed, app: 1, issuedUntil: now), expiresAt: now.adding(seconds: 600))
      try await revocations.revoke(end, noting: AuditEntry(.sessionsEnded, app: 1, user: speed, by: .admin))
      #expect(try await scene.codes(of: speed) == 1)
    }
  }

  @Test("codes of the hosted sign-in end with the sessions that they stand for", arguments: StoreEngine.allCases)
  func codes(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let speed = try await scene.register()
      let local = try await scene.accounts.signIn(identity()).account.id
      try await scene.addCodes(of: speed)
      try await scene.link(local, try await scene.speedToken(), keep: .local)
      // What links elsewhere, or here after an end of this link, stays.
      #expect(try await scene.codes(of: speed) == 1)
      try await scene.addCodes(of: local)
      try await scene.accounts.endSessions(subject: "p1", issuer: "speed")
      #expect(try await scene.codes(of: speed) == 0)
      #expect(try await scene.codes(of: local) == 0)
      try await scene.addCodes(of: local)
      #expect(try await scene.accounts.delete(user: local, app: 1, by: .user))
      #expect(try await scene.codes(of: local) == 0)
      let other = try await scene.accounts.signIn(identity(subject: "2")).account.id
      try await scene.addCodes(of: other)
      try await scene.link(other, try await scene.speedToken("p2"), keep: .speed)
      #expect(try await scene.codes(of: other) == 0)
    }
  }
}
