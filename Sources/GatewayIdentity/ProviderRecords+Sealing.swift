import GatewayBase
import GatewayCrypto
import GatewayStore

// A new sealing key comes to the records that nobody writes.
extension ProviderRecords {
  /// Records that are looked at together.
  private static let batch = 100
  private static let interval = Duration.seconds(600)
  private static let betweenBatches = Duration.milliseconds(100)

  private struct Place: Sendable {
    let provider: String
    let key: String
    /// The first bytes of its value.
    let prefix: [UInt8]
  }

  /// Seals all records with the newest key once there is a new one, until the task is cancelled.
  package func keepSealed(logger: Logger) async {
    var done: String?
    while !Task.isCancelled {
      do {
        try keys.reload()
        let newest = keys.activeID
        if newest != done {
          try await sealAnew()
          done = newest
        }
      } catch is CancellationError {
        return
      } catch {
        logger.warning("records of providers can't be sealed anew", .text("reason", "\(error)"))
      }
      try? await Task.sleep(for: Self.interval)
    }
  }

  /// Seals what an older key has sealed, in small steps. What no key opens stays as it is.
  ///
  /// - Returns: how many records were sealed.
  @discardableResult
  package func sealAnew() async throws -> Int {
    var (count, last) = (0, Place(provider: "", key: "", prefix: []))
    while true {
      let places = try await places(after: last)
      for place in places where !keys.isCurrent(place.prefix) { if try await sealAnew(place) { count += 1 } }
      guard places.count == Self.batch, let end = places.last else { return count }
      last = end
      try await Task.sleep(for: Self.betweenBatches)
    }
  }

  private func places(after last: Place) async throws -> [Place] {
    try await store.read { connection in
      try connection.query(
        """
        SELECT provider, record_key, SUBSTR(value, 1, \(SealingKeys.prefixBytes)) FROM provider_records
        WHERE provider > ? OR (provider = ? AND record_key > ?) ORDER BY provider, record_key LIMIT \(Self.batch)
        """, [.text(last.provider), .text(last.provider), .text(last.key)]
      ).map { Place(provider: try $0.text(0), key: try $0.text(1), prefix: try $0.blob(2)) }
    }
  }

  /// Its version stays, as its content does.
  private func sealAnew(_ place: Place) async throws -> Bool {
    let keys = keys
    return try await store.write { connection in
      let values: [SQLValue] = [.text(place.provider), .text(place.key)]
      let row = try connection.first(
        "SELECT value FROM provider_records WHERE provider = ? AND record_key = ?\(connection.dialect.forUpdate)",
        values)
      let context = SealingContext(record: place.key, of: place.provider)
      guard let sealed = try row?.blob(0), !keys.isCurrent(sealed), let value = keys.open(sealed, context) else {
        return false
      }
      let anew = try keys.seal(value, context)
      try connection.run(
        "UPDATE provider_records SET value = ? WHERE provider = ? AND record_key = ?", [.blob(anew)] + values)
      return true
    }
  }
}
