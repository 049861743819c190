import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Balances") struct BalanceTests {
  private func adjustment(
    _ amount: Int64, key: String, reason: BalanceAdjustment.Reason = .purchase, reference: String? = nil
  ) -> BalanceAdjustment {
    BalanceAdjustment(amount: amount, reason: reason, key: key, reference: reference)
  }

  @discardableResult
  private func adjust(
    _ scene: LinkScene, _ user: String, _ adjustment: BalanceAdjustment, app: Int64 = 1
  ) async throws -> (entry: BalanceEntry, isNew: Bool) {
    try await scene.accounts.adjust(adjustment, user: user, app: app, from: .none)
  }

  @Test("an adjustment is made once for its key", arguments: StoreEngine.allCases)
  func idempotency(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let user = try await scene.accounts.signIn(identity()).account.id
      let other = try await scene.accounts.signIn(identity(subject: "2")).account.id
      let first = try await adjust(scene, user, adjustment(500, key: "k", reference: "r"))
      let again = try await adjust(scene, user, adjustment(500, key: "k", reference: "r"))
      #expect(first.isNew && !again.isNew && again.entry == first.entry)
      #expect(first.entry.balanceAfter == 500)
      for another in [
        adjustment(501, key: "k", reference: "r"), adjustment(500, key: "k"),
        adjustment(500, key: "k", reason: .gift, reference: "r"),
      ] {
        await #expect(throws: BalanceFailure.idempotencyConflict) { try await adjust(scene, user, another) }
      }
      await #expect(throws: BalanceFailure.idempotencyConflict) {
        try await adjust(scene, other, adjustment(500, key: "k", reference: "r"))
      }
      #expect(try await scene.accounts.balance(user: user, app: 1) == 500)
      #expect(try await scene.accounts.balance(user: other, app: 1) == 0)
    }
  }

  @Test("a balance stays between zero and its highest", arguments: StoreEngine.allCases)
  func bounds(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let user = try await scene.accounts.signIn(identity()).account.id
      await #expect(throws: BalanceFailure.insufficient) { try await adjust(scene, user, adjustment(-1, key: "a")) }
      try await adjust(scene, user, adjustment(BalanceAdjustment.highest, key: "b"))
      await #expect(throws: BalanceFailure.tooHigh) { try await adjust(scene, user, adjustment(1, key: "c")) }
      try await adjust(scene, user, adjustment(-BalanceAdjustment.highest, key: "d", reason: .refund))
      #expect(try await scene.accounts.balance(user: user, app: 1) == 0)
      // What was refused has not used its key up.
      try await adjust(scene, user, adjustment(1, key: "a"))
    }
  }

  @Test("adjustments at once are all counted, and one key among them once", arguments: StoreEngine.allCases)
  func race(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let user = try await scene.accounts.signIn(identity()).account.id
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<20 {
          group.addTask { try await adjust(scene, user, adjustment(3, key: "k\(index % 10)")).isNew }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 10)
      #expect(try await scene.accounts.balance(user: user, app: 1) == 30)
      let entries = try await scene.accounts.adjustments(user: user, app: 1, before: nil, limit: 100)
      #expect(entries.map(\.balanceAfter) == (1...10).reversed().map { $0 * 3 })
    }
  }

  @Test("the newest come first, page by page", arguments: StoreEngine.allCases)
  func pages(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let user = try await scene.accounts.signIn(identity()).account.id
      for amount in 1...5 { try await adjust(scene, user, adjustment(Int64(amount), key: "\(amount)")) }
      var (amounts, before) = ([Int64](), Int64?.none)
      while true {
        let page = try await scene.accounts.adjustments(user: user, app: 1, before: before, limit: 2)
        guard let last = page.last else { break }
        amounts += page.map(\.adjustment.amount)
        before = last.sequence
      }
      #expect(amounts == [5, 4, 3, 2, 1])
    }
  }

  @Test("users are found by id and by appUserUUID, those from before the table too", arguments: StoreEngine.allCases)
  func names(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      let user = try await scene.accounts.signIn(identity()).account.id
      let regular = try await scene.register()
      for name in [user, "uuid-of-1-\(user)", "UUID-of-1-\(user)"] {
        #expect(try await scene.accounts.user(named: name, app: 1) == user, "\(name)")
      }
      #expect(try await scene.accounts.user(named: "uuid-of-1-\(regular)", app: 1) == regular)
      for name in ["nobody", "uuid-of-2-\(user)"] {
        #expect(try await scene.accounts.user(named: name, app: 1) == nil)
      }
      #expect(try await scene.accounts.user(named: user, app: 2) == nil)
      try await scene.fixture.run("DELETE FROM app_user_uuids")
      try await scene.fixture.run("UPDATE users SET uuid_known = 0")
      for index in 0..<(AppUserUUIDs.batch + 5) {
        try await scene.fixture.run(
          "INSERT INTO users (id, app, email_verified, is_private_email, created_at) VALUES (?, 1, 0, 0, 0)",
          [.text("old-\(index)")])
      }
      #expect(try await scene.accounts.user(named: "uuid-of-1-\(user)", app: 1) == user)
      #expect(try await scene.accounts.user(named: "uuid-of-1-old-204", app: 1) == "old-204")
      #expect(try await scene.fixture.count("SELECT COUNT(*) FROM users WHERE app = 1 AND uuid_known = 0") == 0)
    }
  }

  @Test("an unknown user has no balance, and a deleted one's is gone", arguments: StoreEngine.allCases)
  func unknown(_ engine: StoreEngine) async throws {
    try await withScene(engine) { scene in
      await #expect(throws: BalanceFailure.unknownUser) { try await adjust(scene, "nobody", adjustment(1, key: "a")) }
      let user = try await scene.accounts.signIn(identity()).account.id
      try await adjust(scene, user, adjustment(1, key: "a"))
      await #expect(throws: BalanceFailure.unknownUser) {
        try await adjust(scene, user, adjustment(1, key: "b"), app: 2)
      }
      #expect(try await scene.accounts.delete(user: user, app: 1, by: .user))
      await #expect(throws: BalanceFailure.unknownUser) { try await adjust(scene, user, adjustment(1, key: "b")) }
      for table in ["balances", "balance_entries", "app_user_uuids"] {
        #expect(try await scene.fixture.count("SELECT COUNT(*) FROM \(table)") == 0, "\(table)")
      }
    }
  }
}
