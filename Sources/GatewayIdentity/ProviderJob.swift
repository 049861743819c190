import GatewayBase
import GatewayCrypto
import GatewayStore

/// Work at a provider that waits in the store until it is done. It knows its account by the gateway's own id alone, so
/// that it can never touch a later account of the same person.
package struct ProviderJob: Sendable {
  package enum Kind: String, Sendable {
    /// What a sign-in or a deletion left to do.
    case followUp = "follow-up"
    /// A grant is to be given back.
    case release

    /// What goes first: a code is good for five minutes, a grant waits.
    fileprivate var priority: Int64 { self == .followUp ? 0 : 1 }

    fileprivate var sealing: SealingContext.Kind { self == .followUp ? .followUp : .grant }
  }

  /// Work before it is in the store.
  package struct Draft: Sendable {
    let kind: Kind
    let provider: String
    let client: String
    let secret: [UInt8]

    /// - Parameters:
    ///   - provider: the plugin that does it.
    ///   - client: the client id that the grant is of; empty for a follow-up.
    package init(_ kind: Kind, provider: String, client: String = "", secret: [UInt8]) {
      self.kind = kind
      self.provider = provider
      self.client = client
      self.secret = secret
    }

    /// Whether it fits into the store's columns.
    var isKeepable: Bool {
      secret.count <= Limits.providerSecret && client.unicodeScalars.count <= ProviderGrantRow.clientBytes
    }
  }

  /// Rises with time.
  package let id: Int64
  package let kind: Kind
  package let provider: String
  package let app: Int64
  package let user: String
  package let client: String
  let sealed: [UInt8]
  /// Attempts before and with the present one.
  package let attempts: Int64
  package let createdAt: UnixTime
  let dueAt: UnixTime

  static let columns =
    "id, kind, provider, app, user_id, client, sealed, attempts, created_at, due_at"

  /// - Returns: nil for a kind that this release does not know.
  init?(row: Row) throws(StoreError) {
    guard let kind = Kind(rawValue: try row.text(1)) else { return nil }
    id = try row.integer(0)
    self.kind = kind
    provider = try row.text(2)
    app = try row.integer(3)
    user = try row.text(4)
    client = try row.text(5)
    sealed = try row.blob(6)
    attempts = try row.integer(7) + 1
    createdAt = UnixTime(milliseconds: try row.integer(8))
    dueAt = UnixTime(milliseconds: try row.integer(9))
  }

  /// The secret, or nil where the key that sealed it is gone.
  package func secret(_ keys: SealingKeys) -> [UInt8]? {
    keys.open(sealed, SealingContext(kind.sealing, owner: user, name: client))
  }

  /// Adds a row that is due at once.
  ///
  /// - Returns: the sealed secret; nil where it does not fit, and nothing was added.
  @discardableResult
  static func insert(
    _ draft: Draft, user: String, app: Int64, sealedWith keys: SealingKeys, at now: UnixTime,
    on connection: any Connection
  ) throws -> [UInt8]? {
    guard draft.isKeepable else { return nil }
    let sealed = try keys.seal(
      draft.secret, SealingContext(draft.kind.sealing, owner: user, name: draft.client))
    let time = SQLValue.integer(now.milliseconds)
    try connection.run(
      """
      INSERT INTO provider_jobs (priority, kind, provider, app, user_id, client, sealed, attempts, created_at, due_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
      """,
      [
        .integer(draft.kind.priority), .text(draft.kind.rawValue), .text(draft.provider), .integer(app), .text(user),
        .text(draft.client), .blob(sealed), time, time,
      ])
    return sealed
  }

  /// Turns grants that `condition` chooses into work that releases them, as they are: their sealing stays good.
  ///
  /// - Parameter condition: of columns of `grants`, with `arguments`.
  static func release(
    grantsWhere condition: String, _ arguments: [SQLValue], at now: UnixTime, on connection: any Connection
  ) throws(StoreError) {
    let time = SQLValue.integer(now.milliseconds)
    let kind = Kind.release
    try connection.run(
      """
      INSERT INTO provider_jobs (priority, kind, provider, app, user_id, client, sealed, attempts, created_at, due_at)
      SELECT \(kind.priority), '\(kind.rawValue)', provider, app, user_id, client, sealed, 0, ?, ?
      FROM grants WHERE \(condition)
      """,
      [time, time] + arguments)
    try connection.run("DELETE FROM grants WHERE \(condition)", arguments)
  }
}

/// When queued work is tried again, and when no more.
enum JobSchedule {
  /// Milliseconds from an attempt to the next one.
  ///
  /// - Parameter attempts: those that have failed, one at least.
  static func pause(after attempts: Int64) -> Int64 {
    // 2¹⁰ times the first pause is over the longest one already; the shift must not grow with the attempts.
    min(Limits.jobFirstPause << min(max(attempts, 1) - 1, 10), Limits.jobLongestPause)
  }

  static func isOver(createdAt: UnixTime, now: UnixTime) -> Bool {
    createdAt.adding(seconds: Limits.jobLifetime) <= now
  }
}
