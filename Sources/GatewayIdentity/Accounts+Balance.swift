import GatewayBase
import GatewayStore

extension Accounts {
  /// The id of a user of an app.
  ///
  /// - Parameter name: the id, or the `appUserUUID`; of an account that has become part of another that one is found.
  /// - Returns: nil where the app has no such user.
  /// - Throws: `Refusal.storeUnavailable`.
  package func user(named name: String, app: Int64) async throws -> String? {
    if let user = try await find(name, app: app) { return user }
    // From before UUIDs were noted: all of the app's are noted once.
    while true {
      let hasMore = try await logger.refusing {
        try await store.write { [appUserUUID] in try AppUserUUIDs.catchUp(app: app, appUserUUID, on: $0) }
      }
      if !hasMore { break }
    }
    return try await find(name, app: app)
  }

  private func find(_ name: String, app: Int64) async throws -> String? {
    let uuids = [name.lowercased(), appUserUUID(app, name)]
    return try await logger.refusing {
      try await store.read { connection -> String? in
        if let account = try AppAccounts.find(name, app: app, on: connection) { return account.id }
        for uuid in uuids {
          if let user = try AppUserUUIDs.user(uuid, app: app, on: connection) {
            return try AppAccounts.find(user, app: app, on: connection)?.id
          }
        }
        return nil
      }
    }
  }

  /// The balance of a user in an app.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func balance(user: String, app: Int64) async throws -> Int64 {
    try await logger.refusing { try await store.read { try Balance.amount(of: user, app: app, on: $0) } }
  }

  /// Changes a balance, once for each idempotency key.
  ///
  /// - Returns: the entry, and whether this call made it.
  /// - Throws: `BalanceFailure`, and nothing has changed; `Refusal.storeUnavailable`.
  package func adjust(
    _ adjustment: BalanceAdjustment, user: String, app: Int64, from origin: AuditEntry.Origin
  ) async throws -> (entry: BalanceEntry, isNew: Bool) {
    let transaction = AdjustmentTransaction(
      adjustment: adjustment, user: user, app: app, now: clock.now, origin: origin)
    return try await logger.refusing { try await store.write { try transaction.run(on: $0) } }
  }

  /// The adjustments of a user's balance in an app, the newest first.
  ///
  /// - Parameter sequence: those before this one; nil for the first ones.
  /// - Throws: `Refusal.storeUnavailable`.
  package func adjustments(
    user: String, app: Int64, before sequence: Int64?, limit: Int
  ) async throws -> [BalanceEntry] {
    try await logger.refusing {
      try await store.read { connection in
        try connection.query(
          """
          SELECT \(BalanceEntry.columns) FROM balance_entries WHERE app = ? AND user_id = ? AND seq < ?
          ORDER BY seq DESC LIMIT \(limit)
          """, [.integer(app), .text(user), .integer(sequence ?? .max)]
        ).map { try BalanceEntry(row: $0) }
      }
    }
  }
}

/// The statements of one adjustment. They may run several times; only those of the committed run count.
private struct AdjustmentTransaction: Sendable {
  let adjustment: BalanceAdjustment
  let user: String
  let app: Int64
  let now: UnixTime
  let origin: AuditEntry.Origin

  func run(on connection: any Connection) throws -> (entry: BalanceEntry, isNew: Bool) {
    guard try AppAccounts.lock(user, on: connection), try AppAccounts.find(user, app: app, on: connection) != nil
    else { throw BalanceFailure.unknownUser }
    if let known = try known(on: connection) { return (known, false) }
    let (balance, overflows) = try Balance.amount(of: user, app: app, on: connection)
      .addingReportingOverflow(adjustment.amount)
    guard !overflows, balance <= Balance.highest else { throw BalanceFailure.tooHigh }
    guard balance >= 0 else { throw BalanceFailure.insufficient }
    do throws(StoreError) {
      try connection.run(
        """
        INSERT INTO balance_entries
          (app, user_id, amount, reason, idempotency_key, reference, balance_after, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(app), .text(user), .integer(adjustment.amount), .text(adjustment.reason.rawValue),
          .text(adjustment.key), .optional(adjustment.reference), .integer(balance), .integer(now.milliseconds),
        ])
    } catch .uniqueViolation {
      // Used for another user at the same moment.
      throw BalanceFailure.idempotencyConflict
    }
    try Balance.set(balance, of: user, app: app, on: connection)
    try AuditEntry(.adjust, app: app, user: user, by: .server, from: origin, detail: adjustment.reason.rawValue)
      .insert(at: now, on: connection)
    guard let entry = try known(on: connection) else { throw StoreError.conflict }
    return (entry, true)
  }

  /// The entry that the key was used for.
  ///
  /// - Throws: `BalanceFailure.idempotencyConflict` where that is another adjustment.
  private func known(on connection: any Connection) throws -> BalanceEntry? {
    let row = try connection.first(
      "SELECT \(BalanceEntry.columns), user_id FROM balance_entries WHERE app = ? AND idempotency_key = ?",
      [.integer(app), .text(adjustment.key)])
    guard let row else { return nil }
    let entry = try BalanceEntry(row: row)
    guard entry.adjustment == adjustment, try row.text(7) == user else { throw BalanceFailure.idempotencyConflict }
    return entry
  }
}
