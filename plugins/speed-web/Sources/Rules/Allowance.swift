import ProviderKit

/// How often something may be done in a time, on all nodes together. It is counted before it is done, so that many at
/// once don't get past it.
struct Allowance: Codable, Sendable {
  /// One that is counted.
  struct Limit: Sendable {
    /// The name of the record; of an address or a device its digest alone.
    let key: String
    let count: Int
    /// Milliseconds.
    let window: Int64
  }

  private static let attempts = 8

  private var taken: Int
  private let since: Int64

  /// Takes one.
  ///
  /// - Returns: nil, or the seconds after which there is one again.
  static func take(_ limit: Limit, _ turn: Turn) async throws(ProviderFailure) -> Int? {
    for _ in 0..<attempts {
      let found = try await turn.records.read(limit.key, as: Allowance.self)
      var allowance = Allowance(taken: 0, since: turn.now)
      if let found, turn.now - found.value.since < limit.window { allowance = found.value }
      guard allowance.taken < limit.count else {
        return Int((allowance.since + limit.window - turn.now + 999) / 1000)
      }
      allowance.taken += 1
      let change = RecordChange.put(
        limit.key, allowance, if: found.map { .version($0.version) } ?? .absent,
        expiresAt: allowance.since + limit.window)
      if try await turn.records.commit([change]) { return nil }
    }
    throw .contended
  }
}
