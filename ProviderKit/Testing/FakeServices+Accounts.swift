import ProviderKit

/// Records, letters, passwords and accounts, in memory.
extension FakeServices {
  struct Kept {
    var record: ProviderRecord
    var expiresAt: Int64?
  }

  /// Random bytes.
  public func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// What is kept of these keys.
  public func records(_ keys: [String]) -> [ProviderRecord?] { keys.map { present($0)?.record } }

  /// As the gateway does, with its limits.
  public func commit(_ changes: [RecordChange]) throws(CallFailure) -> Bool {
    guard changes.count <= 32, Set(changes.map(\.key)).count == changes.count,
      changes.allSatisfy({ (1...200).contains($0.key.utf8.count) && ($0.value?.count ?? 0) <= 32 * 1024 })
    else { throw CallFailure("not a set of changes") }
    let hold = changes.allSatisfy { change in
      switch change.condition {
      case .any: true
      case .absent: present(change.key) == nil
      case .version(let version): present(change.key)?.record.version == version
      }
    }
    guard hold else { return false }
    for change in changes {
      commits += 1
      kept[change.key] = change.value.map { value in
        Kept(record: ProviderRecord(key: change.key, value: value, version: commits), expiresAt: change.expiresAt)
      }
    }
    return true
  }

  private func present(_ key: String) -> Kept? {
    kept[key].flatMap { found in found.expiresAt.map { $0 <= now } ?? false ? nil : found }
  }

  /// The names of what is kept.
  public var keys: [String] { kept.keys.filter { present($0) != nil }.sorted() }

  /// No scrypt: the test is to be quick.
  public func derive(password: String) -> String { "derived:" + Self.signature(of: password, key: "salt") }

  /// Whether `derive` made the derivation of this password.
  public func isPassword(_ password: String, of derivation: String?) -> Bool {
    derive(password: password) == derivation
  }

  /// Keeps the letter in `letters`.
  public func send(_ mail: ProviderMail) throws(CallFailure) {
    guard takesLetters else { throw CallFailure("no mail relay is configured") }
    letters.append(mail)
  }

  /// From now on no mail is sent.
  public func loseRelay() { takesLetters = false }

  /// A registration whose client data is the challenge is good; the attestation is the passkey's id.
  public func register(
    _ registration: PasskeyRegistration, for challenge: PasskeyChallenge
  ) throws(PasskeyFailure) -> Passkey {
    guard registration.clientData == challenge.bytes else { throw PasskeyFailure("challenge") }
    return Passkey(id: registration.attestation, publicKey: [1], signCount: 0, isBackedUp: true)
  }

  /// An assertion whose client data is the challenge is good where its signature is the passkey's id.
  public func verify(
    _ assertion: PasskeyAssertion, of passkey: Passkey, for challenge: PasskeyChallenge
  ) throws(PasskeyFailure) -> Passkey {
    guard assertion.clientData == challenge.bytes else { throw PasskeyFailure("challenge") }
    guard assertion.signature == passkey.id else { throw PasskeyFailure("signature") }
    return passkey
  }

  /// Keeps the identity in `accounts`.
  public func keep(_ identity: VerifiedIdentity) { accounts[identity.subject] = identity }

  /// Whether `register` was called for the subject.
  public func isRegistered(_ subject: String, issuer: String) -> Bool { registered.contains(subject) }

  /// The account has signed in to the app.
  public func register(_ subject: String) { registered.insert(subject) }

  /// Notes the subject in `ended`.
  public func endSessions(of subject: String, issuer: String) { ended.append(subject) }
}
