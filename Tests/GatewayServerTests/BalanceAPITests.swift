import GatewayBase
import Testing

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
