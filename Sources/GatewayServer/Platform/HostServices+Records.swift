import GatewayBase
import GatewayIO
import GatewayIdentity
import ProviderKit

// What the gateway keeps and computes for a provider, and the accounts that all apps share.
extension HostServices {
  func random(_ count: Int) async -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return generator.bytes(min(max(0, count), Limits.randomBytes))
  }

  func records(_ keys: [String]) async throws(CallFailure) -> [ProviderRecord?] {
    try await kept { means in
      try await means.records.records(keys, of: provider).map { record in
        record.map { ProviderRecord(key: $0.key, value: $0.value, version: $0.version) }
      }
    }
  }

  func commit(_ changes: [RecordChange]) async throws(CallFailure) -> Bool {
    try await kept { means in
      try await means.records.commit(changes.map { ProviderRecords.Change($0) }, of: provider)
    }
  }

  func derive(password: String) async throws(CallFailure) -> String {
    let password = try Self.secret(password)
    return try await kept { means in try await means.passwords.derive(password) }
  }

  func isPassword(_ password: String, of derivation: String?) async throws(CallFailure) -> Bool {
    let password = try Self.secret(password)
    return try await kept { means in try await means.passwords.isPassword(password, of: derivation) }
  }

  func keep(_ identity: VerifiedIdentity) async throws(CallFailure) {
    guard identity.isShared else { throw CallFailure("the identity is not of a shared account") }
    try await kept { means in
      try await means.accounts.keep(
        SharedIdentity(
          issuer: identity.issuer, subject: identity.subject, name: identity.fullName, email: identity.email,
          emailVerified: identity.emailVerified, photo: identity.photo))
    }
  }

  func isRegistered(_ subject: String, issuer: String) async throws(CallFailure) -> Bool {
    guard let app else { throw CallFailure("the call is about no app") }
    return try await kept { means in
      try await means.accounts.isRegistered(subject: subject, issuer: issuer, app: app)
    }
  }

  func endSessions(of subject: String, issuer: String) async throws(CallFailure) {
    try await kept { means in try await means.accounts.endSessions(subject: subject, issuer: issuer) }
  }

  private static func secret(_ password: String) throws(CallFailure) -> Secret {
    guard password.utf8.count <= Limits.password else { throw CallFailure("the password is too long") }
    return Secret(password.utf8)
  }

  /// Does something with what the gateway has for this.
  private func kept<Result>(
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
