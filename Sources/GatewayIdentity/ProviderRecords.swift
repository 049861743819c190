import GatewayBase
import GatewayStore

/// What providers keep: small texts of bytes under keys of their own, sealed, the same on all nodes. A set of changes is
/// made as a whole or not at all.
package struct ProviderRecords: Sendable {
  /// What is kept under a key.
  package struct Record: Sendable, Equatable {
    package let key: String
    package let value: [UInt8]
    /// Raised by every change, and never the same again for a key that was gone.
    package let version: Int64
  }

  /// One change of a set.
  package struct Change: Sendable {
    /// What the record must be like.
    package enum Condition: Sendable, Equatable {
      case any, absent
      case version(Int64)
    }

    package let key: String
    /// Nil removes it.
    package let value: [UInt8]?
    package let condition: Condition
    /// Nil for never.
    package let expiresAt: UnixTime?

    package init(key: String, value: [UInt8]?, condition: Condition, expiresAt: UnixTime? = nil) {
      self.key = key
      self.value = value
      self.condition = condition
      self.expiresAt = expiresAt
    }
  }

  /// Why nothing was read or changed, besides `StoreError`.
  package enum Failure: Error, Sendable, Equatable {
    /// A key is empty, too long, no ASCII, or has blanks; or it is named twice.
    case key
    case tooLarge
    /// More than `Limits.records`.
    case tooMany
    /// No key that is here opens it.
    case sealed
  }

  let store: any Store
  let keys: SealingKeys
  private let clock: any WallClock

  package init(store: any Store, keys: SealingKeys, clock: any WallClock) {
    self.store = store
    self.keys = keys
    self.clock = clock
  }

  /// The records of a provider under these keys, in their order; nil for those that are not there.
  ///
  /// - Throws: `Failure`, `StoreError`.
  package func records(_ names: [String], of provider: String) async throws -> [Record?] {
    guard names.count <= Limits.records else { throw Failure.tooMany }
    for name in names { try Self.check(name) }
    guard !names.isEmpty else { return [] }
    let (now, keys) = (clock.now, keys)
    let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
    return try await store.read { connection in
      // One statement, so that what was changed together is seen together.
      let rows = try connection.query(
        """
        SELECT record_key, value, version FROM provider_records
        WHERE provider = ? AND (expires_at IS NULL OR expires_at > ?) AND record_key IN (\(places))
        """, [.text(provider), .integer(now.milliseconds)] + names.map { .text($0) })
      var found: [String: Record] = [:]
      for row in rows {
        let name = try row.text(0)
        guard let value = keys.open(try row.blob(1), SealingContext(record: name, of: provider)) else {
          throw Failure.sealed
        }
        found[name] = Record(key: name, value: value, version: try row.integer(2))
      }
      return names.map { found[$0] }
    }
  }

  /// Makes all changes, or none where a condition does not hold. Each key is named once.
  ///
  /// - Returns: whether they were made.
  /// - Throws: `Failure`, `StoreError`, `CryptoError`.
  package func commit(_ changes: [Change], of provider: String) async throws -> Bool {
    guard changes.count <= Limits.records else { throw Failure.tooMany }
    for change in changes {
      try Self.check(change.key)
      guard change.value?.count ?? 0 <= Limits.record else { throw Failure.tooLarge }
    }
    guard Set(changes.map(\.key)).count == changes.count else { throw Failure.key }
    // In one order for all, so that two sets don't wait for each other's locks.
    let steps = try changes.sorted { $0.key < $1.key }.map { change in
      RecordStep(
        provider: provider, change: change,
        sealed: try change.value.map { try keys.seal($0, SealingContext(record: change.key, of: provider)) })
    }
    let now = clock.now
    var generator = SystemRandomNumberGenerator()
    // A key that is written, removed and written again gets no version that it had: the time, and chance within it.
    let version = now.milliseconds << 20 | Int64(generator.next() >> 44)
    do {
      try await store.write { connection in
        for step in steps { try step.run(on: connection, version: version, now: now) }
      }
      return true
    } catch RecordStep.Conflict.condition {
      return false
    }
  }

  private static func check(_ key: String) throws(Failure) {
    guard (1...Limits.recordKey).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .key
    }
  }
}

extension SealingContext {
  init(record key: String, of provider: String) { self.init(.record, owner: provider, name: key) }
}

/// One change on its way into the store.
private struct RecordStep: Sendable {
  enum Conflict: Error {
    /// The record is not as it must be.
    case condition
  }

  let provider: String
  let change: ProviderRecords.Change
  let sealed: [UInt8]?

  private var place: [SQLValue] { [.text(provider), .text(change.key)] }

  /// - Parameter tries: how often another writer may be first where no condition says that this is a failure.
  func run(on connection: any Connection, version: Int64, now: UnixTime, tries: Int = 3) throws {
    let row = try connection.first(
      """
      SELECT version, expires_at FROM provider_records
      WHERE provider = ? AND record_key = ?\(connection.dialect.forUpdate)
      """, place)
    let old = try row.map { row in
      let expiry = try row.optionalInteger(1)
      return (version: try row.integer(0), isThere: expiry.map { $0 > now.milliseconds } ?? true)
    }
    let isThere = old?.isThere ?? false
    switch change.condition {
    case .any: break
    case .absent: guard !isThere else { throw Conflict.condition }
    case .version(let wanted): guard isThere, old?.version == wanted else { throw Conflict.condition }
    }
    guard let sealed else {
      if old != nil {
        try connection.run("DELETE FROM provider_records WHERE provider = ? AND record_key = ?", place)
      }
      return
    }
    let values: [SQLValue] = [
      .blob(sealed), .integer(max(version, (old?.version ?? 0) + 1)), .optional(change.expiresAt?.milliseconds),
    ]
    if old != nil {
      try connection.run(
        "UPDATE provider_records SET value = ?, version = ?, expires_at = ? WHERE provider = ? AND record_key = ?",
        values + place)
      return
    }
    // No lock keeps a row from being made: where another writer was first, this one comes on top of it.
    guard try !insert(values, on: connection) else { return }
    guard change.condition == .any else { throw Conflict.condition }
    guard tries > 1 else { throw StoreError.conflict }
    try run(on: connection, version: version, now: now, tries: tries - 1)
  }

  /// - Returns: whether there was no such row.
  private func insert(_ values: [SQLValue], on connection: any Connection) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try connection.run(
        "INSERT INTO provider_records (value, version, expires_at, provider, record_key) VALUES (?, ?, ?, ?, ?)",
        values + place)
      return true
    } catch .uniqueViolation {
      return false
    }
  }
}
