import GatewayBase
import GatewayCrypto
import GatewayStore

/// The queue of work at providers, in the store and so for all nodes together.
///
/// Taking work up moves it into the future by `Limits.jobLease`: if the node dies, others take it up then.
package struct ProviderJobs: Sendable {
  let store: any Store
  /// They open what the work is about.
  package let keys: SealingKeys
  private let clock: any WallClock

  package init(store: any Store, keys: SealingKeys, clock: any WallClock) {
    self.store = store
    self.keys = keys
    self.clock = clock
  }

  /// Adds work and takes it up at once. From now on it is done: by others, where this node dies with it.
  ///
  /// - Returns: nil for a secret that is too long to be kept.
  /// - Throws: `Refusal.storeUnavailable`; then there is no such work.
  package func begin(_ draft: ProviderJob.Draft, user: String, app: Int64) async throws -> ProviderJob? {
    let (now, keys) = (clock.now, keys)
    do {
      return try await store.write { connection in
        let inserted = try ProviderJob.insert(draft, user: user, app: app, sealedWith: keys, at: now, on: connection)
        guard let sealed = inserted else { return nil }
        // No two secrets are the same once they are sealed.
        let row = try connection.first(
          "SELECT \(ProviderJob.columns) FROM provider_jobs WHERE user_id = ? AND sealed = ?",
          [.text(user), .blob(sealed)])
        guard let row, let job = try ProviderJob(row: row), try Self.take(job, now, on: connection) else { return nil }
        return job
      }
    } catch let error as StoreError {
      throw error.refusal ?? error
    }
  }

  private static func take(
    _ job: ProviderJob, _ now: UnixTime, on connection: any Connection
  ) throws(StoreError) -> Bool {
    try connection.run(
      "UPDATE provider_jobs SET due_at = ?, attempts = attempts + 1 WHERE id = ? AND due_at = ?",
      [.integer(now.milliseconds + Limits.jobLease), .integer(job.id), .integer(job.dueAt.milliseconds)]) == 1
  }

  /// Takes up work that is due, the urgent first and then the oldest.
  ///
  /// - Throws: `StoreError`.
  package func claim(_ limit: Int) async throws -> [ProviderJob] {
    let now = clock.now
    let due = try await store.read { connection in
      var due: [ProviderJob] = []
      for priority in 0...1 as ClosedRange<Int64> where due.count < limit {
        due += try connection.query(
          """
          SELECT \(ProviderJob.columns) FROM provider_jobs WHERE priority = ? AND due_at <= ?
          ORDER BY due_at LIMIT \(limit - due.count)
          """,
          [.integer(priority), .integer(now.milliseconds)]
        ).compactMap { try ProviderJob(row: $0) }
      }
      return due
    }
    guard !due.isEmpty else { return [] }
    return try await store.write { connection in try due.filter { try Self.take($0, now, on: connection) } }
  }

  /// The work is done.
  package func finish(_ job: ProviderJob) async throws {
    let now = clock.now
    try await store.write { connection in
      try Self.remove(job, on: connection)
      guard job.kind == .release else { return }
      try AuditEntry(.revoke, app: job.app, user: job.user, by: .gateway).insert(at: now, on: connection)
    }
  }

  /// The work brought a grant: it takes the place of the account's earlier one of the same client, which is released.
  /// Of two grants the later work's stays, whichever comes first. Where the account is gone the grant is released. Doing
  /// it twice does no harm.
  package func finish(_ job: ProviderJob, keeping grant: ProviderJob.Draft) async throws {
    let (now, keys) = (clock.now, keys)
    try await store.write { connection in
      let job = try Self.current(job, on: connection)
      try Self.remove(job, on: connection)
      guard grant.isKeepable else { return }
      let account = try connection.first(
        "SELECT users.id FROM users WHERE users.id = ?\(connection.dialect.forUpdate)", [.text(job.user)])
      let identity = try connection.first(
        "SELECT 1 FROM identities WHERE user_id = ? AND app = ?", [.text(job.user), .integer(job.app)])
      guard account != nil, identity != nil else {
        try ProviderJob.insert(grant, user: job.user, app: job.app, sealedWith: keys, at: now, on: connection)
        return
      }
      try Self.keep(grant, of: job, keys, now, on: connection)
    }
  }

  /// The work as it is now: that of an account which has become part of another since it was taken up is the other's.
  private static func current(_ job: ProviderJob, on connection: any Connection) throws(StoreError) -> ProviderJob {
    let row = try connection.first(
      "SELECT \(ProviderJob.columns) FROM provider_jobs WHERE id = ?\(connection.dialect.forUpdate)",
      [.integer(job.id)])
    return try row.flatMap { row throws(StoreError) in try ProviderJob(row: row) } ?? job
  }

  private static func keep(
    _ grant: ProviderJob.Draft, of job: ProviderJob, _ keys: SealingKeys, _ now: UnixTime,
    on connection: any Connection
  ) throws {
    let context = SealingContext(.grant, owner: job.user, name: grant.client)
    let known = try ProviderGrantRow.find(
      user: job.user, app: job.app, provider: job.provider, client: grant.client, on: connection)
    if let known {
      // The provider may give out the same one again: releasing the one would end the other.
      let isSame = keys.open(known.sealed, context) == grant.secret
      if known.job > job.id {
        if !isSame {
          try ProviderJob.insert(grant, user: job.user, app: job.app, sealedWith: keys, at: now, on: connection)
        }
        return
      }
      if isSame {
        try connection.run("DELETE FROM grants WHERE id = ?", [.integer(known.id)])
      } else {
        try ProviderJob.release(grantsWhere: "id = ?", [.integer(known.id)], at: now, on: connection)
      }
    }
    try connection.run(
      """
      INSERT INTO grants (user_id, app, provider, client, sealed, job, acquired_at, checked_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(job.user), .integer(job.app), .text(job.provider), .text(grant.client),
        .blob(try keys.seal(grant.secret, context)), .integer(job.id), .integer(now.milliseconds),
        .integer(now.milliseconds),
      ])
  }

  /// The attempt failed.
  ///
  /// - Parameter isFinal: whether no other can help.
  /// - Returns: whether the work was given up.
  package func fail(_ job: ProviderJob, reason: String, isFinal: Bool) async throws -> Bool {
    let now = clock.now
    if isFinal || JobSchedule.isOver(createdAt: job.createdAt, now: now) {
      try await store.write { try Self.remove(job, on: $0) }
      return true
    }
    let due = now.milliseconds + JobSchedule.pause(after: job.attempts)
    try await store.write { connection in
      try connection.run(
        "UPDATE provider_jobs SET due_at = ?, reason = ? WHERE id = ?",
        [.integer(due), .text(String(reason.prefix(200))), .integer(job.id)])
    }
    return false
  }

  private static func remove(_ job: ProviderJob, on connection: any Connection) throws(StoreError) {
    try connection.run("DELETE FROM provider_jobs WHERE id = ?", [.integer(job.id)])
  }
}
