import GatewayBase
import GatewayCrypto
import GatewayStore

/// The grants that are kept, once a day each: whether they still stand at their provider.
package struct GrantChecks: Sendable {
  /// A grant whose turn it is.
  package struct Due: Sendable {
    let id: Int64
    package let user: String
    package let app: Int64
    package let provider: String
    package let client: String
    let sealed: [UInt8]
    let checkedAt: Int64

    init(row: Row) throws(StoreError) {
      id = try row.integer(0)
      user = try row.text(1)
      app = try row.integer(2)
      provider = try row.text(3)
      client = try row.text(4)
      sealed = try row.blob(5)
      checkedAt = try row.integer(6)
    }

    fileprivate var context: SealingContext { SealingContext(.grant, owner: user, name: client) }
  }

  private let store: any Store
  private let keys: SealingKeys
  private let known: RevocationSet
  private let clock: any WallClock

  /// - Parameter revocations: where the end of sessions becomes known at once.
  package init(store: any Store, keys: SealingKeys, revocations: RevocationSet, clock: any WallClock) {
    self.store = store
    self.keys = keys
    known = revocations
    self.clock = clock
  }

  /// Takes up grants that were last looked at a day ago; nobody else looks at them for another day, whatever comes of
  /// it.
  package func claim(_ limit: Int) async throws -> [Due] {
    let now = clock.now
    let due = try await store.read { connection in
      try connection.query(
        """
        SELECT id, user_id, app, provider, client, sealed, checked_at FROM grants WHERE checked_at <= ?
        ORDER BY checked_at LIMIT \(limit)
        """, [.integer(now.adding(seconds: -Limits.grantCheck).milliseconds)]
      ).map { try Due(row: $0) }
    }
    guard !due.isEmpty else { return [] }
    return try await store.write { connection in
      try due.filter { grant in
        try connection.run(
          "UPDATE grants SET checked_at = ? WHERE id = ? AND checked_at = ?",
          [.integer(now.milliseconds), .integer(grant.id), .integer(grant.checkedAt)]) == 1
      }
    }
  }

  /// The secret of a grant, or nil where the key that sealed it is gone.
  package func secret(of grant: Due) -> [UInt8]? { keys.open(grant.sealed, grant.context) }

  /// The grant stands. It is sealed anew where an older key has sealed it, so that old keys come out of use.
  package func stands(_ grant: Due, secret: [UInt8]) async throws {
    guard !keys.isCurrent(grant.sealed) else { return }
    let sealed = try keys.seal(secret, grant.context)
    try await store.write { connection in
      // Not where it has been sealed for another account since.
      try connection.run(
        "UPDATE grants SET sealed = ? WHERE id = ? AND user_id = ?",
        [.blob(sealed), .integer(grant.id), .text(grant.user)])
    }
  }

  /// The user has taken the grant back: the sessions end, as with a notice of it. A later grant in its place stays, and
  /// the sessions that came with it.
  ///
  /// - Returns: whether anything ended.
  package func withdraw(_ grant: Due) async throws -> Bool {
    let now = clock.now
    let revocation = try await store.write { connection -> Revocation? in
      // Whose it is now: the account may have become part of another.
      let row = try connection.first(
        "SELECT user_id FROM grants WHERE id = ?\(connection.dialect.forUpdate)", [.integer(grant.id)])
      guard let user = try row?.text(0) else { return nil }
      try connection.run("DELETE FROM grants WHERE id = ?", [.integer(grant.id)])
      let end = SessionEnd(user: user, app: grant.app, now: now)
      try AuditEntry(.sessionsEnded, app: grant.app, user: user, by: .provider, detail: "consent withdrawn")
        .insert(at: end.now, on: connection)
      return try end.run(on: connection)
    }
    guard let revocation else { return false }
    known.add([revocation])
    return true
  }
}
