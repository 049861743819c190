import GatewayBase
import GatewayStore

// What waits, for those who look after the gateway.
extension ProviderJobs {
  /// How much work of a kind waits.
  package struct Waiting: Sendable, Equatable {
    package let kind: String
    package let provider: String
    package let count: Int64
    /// When the oldest of it was made.
    package let since: UnixTime
  }

  /// One piece of work.
  package struct Listed: Sendable {
    let id: Int64
    let kind: String
    let provider: String
    let app: Int64
    let user: String
    let attempts: Int64
    let createdAt: UnixTime
    let dueAt: UnixTime
    let reason: String?

    init(row: Row) throws(StoreError) {
      id = try row.integer(0)
      kind = try row.text(1)
      provider = try row.text(2)
      app = try row.integer(3)
      user = try row.text(4)
      attempts = try row.integer(5)
      createdAt = UnixTime(milliseconds: try row.integer(6))
      dueAt = UnixTime(milliseconds: try row.integer(7))
      reason = try row.optionalText(8)
    }

    fileprivate var json: JSONValue {
      .object([
        "id": .integer(id), "kind": .string(kind), "provider": .string(provider), "appId": .integer(app),
        "userId": .string(user), "attempts": .integer(attempts), "createdAt": .string(createdAt.rfc3339),
        "nextAttempt": .string(dueAt.rfc3339), "reason": reason.map { .string($0) } ?? .null,
      ])
    }
  }

  /// How much work waits.
  package func waiting() async throws -> [Waiting] {
    try await store.read { connection in
      try connection.query(
        "SELECT kind, provider, COUNT(*), MIN(created_at) FROM provider_jobs GROUP BY kind, provider ORDER BY kind, provider",
        []
      ).map { row in
        Waiting(
          kind: try row.text(0), provider: try row.text(1), count: try row.integer(2),
          since: UnixTime(milliseconds: try row.integer(3)))
      }
    }
  }

  /// What waits as JSON: the sums, and the first pieces of work by the time of their next attempt.
  package func listing(limit: Int) async throws -> [UInt8] {
    let first = try await store.read { connection in
      try connection.query(
        """
        SELECT id, kind, provider, app, user_id, attempts, created_at, due_at, reason FROM provider_jobs
        ORDER BY priority, due_at LIMIT \(limit)
        """, []
      ).map { try Listed(row: $0) }
    }
    let sums = try await waiting().map { sum in
      JSONValue.object([
        "kind": .string(sum.kind), "provider": .string(sum.provider), "count": .integer(sum.count),
        "since": .string(sum.since.rfc3339),
      ])
    }
    return JSONValue.object(["waiting": .array(sums), "first": .array(first.map(\.json))]).jsonText
  }
}
