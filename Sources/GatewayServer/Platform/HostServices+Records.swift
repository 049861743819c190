import GatewayBase
import GatewayIO
import GatewayIdentity
import ProviderKit

// What the gateway keeps for a provider.
extension HostServices {
  func records(_ keys: [String]) async throws(CallFailure) -> [ProviderRecord?] {
    try await using { means in
      try await means.records.records(keys, of: provider).map { record in
        record.map { ProviderRecord(key: $0.key, value: $0.value, version: $0.version) }
      }
    }
  }

  func commit(_ changes: [RecordChange]) async throws(CallFailure) -> Bool {
    try await using { means in
      try await means.records.commit(changes.map { ProviderRecords.Change($0) }, of: provider)
    }
  }

  /// Does something with what a gateway that serves has, and turns its failures into those of the call.
  func using<Result>(
    _ work: (ProviderMeans) async throws -> Result
  ) async throws(CallFailure) -> Result {
    guard let means = host.means else { throw CallFailure("a command keeps nothing for providers") }
    do {
      return try await work(means)
    } catch let failure as ProviderRecords.Failure {
      throw CallFailure(failure.words)
    } catch is BlockingPool.Failure {
      throw CallFailure("too many passwords wait")
    } catch {
      host.logger.warning(
        "a provider could not be served", .text("provider", provider), .text("reason", "\(error)"))
      throw CallFailure("the store or the machine could not do it")
    }
  }
}

extension ProviderRecords.Change {
  fileprivate init(_ change: RecordChange) {
    let condition: Condition =
      switch change.condition {
      case .any: .any
      case .absent: .absent
      case .version(let version): .version(version)
      }
    self.init(
      key: change.key, value: change.value, condition: condition,
      expiresAt: change.expiresAt.map { UnixTime(milliseconds: $0) })
  }
}

extension ProviderRecords.Failure {
  fileprivate var words: String {
    switch self {
    case .key: "a record's key is none, or is named twice"
    case .tooLarge: "a record is too large"
    case .tooMany: "too many records at once"
    case .sealed: "a record can't be opened: its sealing key is not here"
    }
  }
}
