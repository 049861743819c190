import GatewayBase
import GatewayStore

extension Accounts {
  /// The app that an account is of: nil inside for a regular one, nil where there is no account.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func app(of user: String) async throws -> Int64?? {
    try await logger.refusing {
      try await store.read { connection in
        try connection.first("SELECT app FROM users WHERE id = ?", [.text(user)]).map { try $0.optionalInteger(0) }
      }
    }
  }

  /// Everything that the store holds about a person, but for credentials: of what is sealed or digested only that it is
  /// there.
  ///
  /// - Returns: nil where nothing is known of this id.
  /// - Throws: `Refusal.storeUnavailable`.
  package func record(of user: String) async throws -> JSONValue? {
    try await logger.refusing {
      try await store.read { connection -> JSONValue? in
        func rows(_ sql: String, _ make: (Row) throws -> [String: JSONValue]) throws -> JSONValue {
          .array(try connection.query(sql, [.text(user)]).map { .object(try make($0)) })
        }
        let account = try connection.first(
          "SELECT \(Account.columns), created_at FROM users WHERE id = ?", [.text(user)]
        ).map { try Self.account($0) }
        let record: [String: JSONValue] = [
          "account": account ?? .null,
          "identities": try rows(
            """
            SELECT app, team, issuer, subject, provider, client, created_at, signed_in_at, email_disabled
            FROM identities WHERE user_id = ? ORDER BY app
            """, Self.identity),
          "grants": try rows(
            "SELECT app, provider, client, acquired_at, checked_at FROM grants WHERE user_id = ? ORDER BY id",
            Self.grant),
          "waiting": try rows(
            "SELECT app, kind, provider, attempts, due_at, reason FROM provider_jobs WHERE user_id = ? ORDER BY id",
            Self.job),
          "apps": try rows(
            "SELECT app, created_at, signed_in_at FROM memberships WHERE user_id = ? ORDER BY app", Self.membership),
          "links": .array(
            try connection.query(
              """
              SELECT app, local_user, speed_user, created_at FROM links WHERE local_user = ? OR speed_user = ?
              ORDER BY app
              """, [.text(user), .text(user)]
            ).map { .object(try Self.link($0)) }),
          "balances": try rows(
            "SELECT app, amount FROM balances WHERE user_id = ? ORDER BY app",
            { ["appId": .integer(try $0.integer(0)), "balance": .integer(try $0.integer(1))] }),
          "adjustments": try rows(
            "SELECT \(BalanceEntry.columns), app FROM balance_entries WHERE user_id = ? ORDER BY seq",
            Self.adjustment),
          "refreshTokens": try rows(
            "SELECT app, expires_at FROM refresh_tokens WHERE user_id = ? AND used_at IS NULL ORDER BY expires_at",
            { ["appId": .integer(try $0.integer(0)), "expiresAt": try Self.time($0, 1)] }),
          "audit": try rows(
            "SELECT at, act, app, actor, address, request_id, detail FROM audit WHERE user_id = ? ORDER BY seq",
            Self.act),
        ]
        let isEmpty = account == nil && record.values.allSatisfy { ($0.array ?? []).isEmpty }
        return isEmpty ? nil : .object(record)
      }
    }
  }

  private static func account(_ row: Row) throws(StoreError) -> JSONValue {
    let account = try Account(row: row)
    return .object([
      "id": .string(account.id), "appId": account.app.map { .integer($0) } ?? .null, "name": text(account.name),
      "email": text(account.email), "emailVerified": .bool(account.emailVerified),
      "isPrivateEmail": .bool(account.isPrivateEmail), "photo": text(account.photo), "createdAt": try time(row, 7),
    ])
  }

  private static func membership(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "appId": .integer(try row.integer(0)), "createdAt": try time(row, 1), "signedInAt": try time(row, 2),
    ]
  }

  private static func link(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "appId": .integer(try row.integer(0)), "localUser": .string(try row.text(1)),
      "speedUser": .string(try row.text(2)), "createdAt": try time(row, 3),
    ]
  }

  private static func adjustment(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    var members = try BalanceEntry(row: row).json.object ?? [:]
    members["appId"] = .integer(try row.integer(7))
    return members
  }

  private static func identity(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "appId": .integer(try row.integer(0)), "team": .string(try row.text(1)), "issuer": .string(try row.text(2)),
      "subject": .string(try row.text(3)), "provider": text(try row.optionalText(4)),
      "client": text(try row.optionalText(5)), "createdAt": try time(row, 6), "signedInAt": try time(row, 7),
      "emailDisabled": .bool(try row.flag(8)),
    ]
  }

  private static func grant(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "appId": .integer(try row.integer(0)), "provider": .string(try row.text(1)), "client": .string(try row.text(2)),
      "acquiredAt": try time(row, 3), "checkedAt": try time(row, 4),
    ]
  }

  private static func job(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "appId": .integer(try row.integer(0)), "kind": .string(try row.text(1)), "provider": .string(try row.text(2)),
      "attempts": .integer(try row.integer(3)), "nextAttempt": try time(row, 4),
      "reason": text(try row.optionalText(5)),
    ]
  }

  private static func act(_ row: Row) throws(StoreError) -> [String: JSONValue] {
    [
      "at": try time(row, 0), "act": .string(try row.text(1)), "appId": .integer(try row.integer(2)),
      "actor": .string(try row.text(3)), "address": text(try row.optionalText(4)),
      "requestId": text(try row.optionalText(5)), "detail": text(try row.optionalText(6)),
    ]
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func time(_ row: Row, _ column: Int) throws(StoreError) -> JSONValue {
    .string(UnixTime(milliseconds: try row.integer(column)).rfc3339)
  }

  /// Notes that someone who runs the gateway has looked at all of it.
  package func noteExport(of user: String, app: Int64) async throws {
    let now = clock.now
    try await logger.refusing {
      try await store.write { try AuditEntry(.export, app: app, user: user, by: .admin).insert(at: now, on: $0) }
    }
  }
}
