import Glibc
import ProviderKit

/// The gateway's services, in a plugin's process: each member is a message there and one back.
struct RemoteServices: ProviderServices {
  let calls: ChildCalls
  /// The call on whose behalf they are used.
  let call: UInt64

  private static let foreign = CallFailure("the gateway's answer is to another question")

  private func ask(_ question: ServiceCall) async -> ServiceAnswer { await calls.ask(call, question) }

  /// - Throws: the failure that the gateway tells.
  private func asking(_ question: ServiceCall) async throws(CallFailure) -> ServiceAnswer {
    let answer = await ask(question)
    if case .callFailure(let failure) = answer { throw failure }
    return answer
  }

  var now: Int64 {
    get async { if case .time(let time) = await ask(.now) { time } else { Self.giveUp() } }
  }

  var settings: [String: String] {
    get async { if case .settings(let settings) = await ask(.settings) { settings } else { Self.giveUp() } }
  }

  func sha256(_ bytes: [UInt8]) async -> [UInt8] {
    if case .bytes(let digest) = await ask(.sha256(bytes)) { digest } else { Self.giveUp() }
  }

  /// What can't fail must not be made up either: an empty secret, say.
  private static func giveUp() -> Never { _exit(6) }

  func verify(
    _ token: String, keySetURL: String, algorithms: [SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken {
    try await verified(.verify(token: token, keySetURL: keySetURL, algorithms: algorithms))
  }

  func verify(
    _ token: String, issuer: String, algorithms: [SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken {
    try await verified(.verifyOfIssuer(token: token, issuer: issuer, algorithms: algorithms))
  }

  private func verified(_ question: ServiceCall) async throws(KeyServiceFailure) -> VerifiedToken {
    switch await ask(question) {
    case .token(let token): return token
    case .keyFailure(let failure): throw failure
    default: throw .unavailable(retryAfter: 5)
    }
  }

  func askVerifier(_ question: [UInt8]) async throws(CallFailure) -> CallAnswer {
    guard case .answer(let answer) = try await asking(.askVerifier(question)) else { throw Self.foreign }
    return answer
  }

  func sign(_ claims: [UInt8]) async throws(CallFailure) -> String {
    guard case .text(let token) = try await asking(.sign(claims)) else { throw Self.foreign }
    return token
  }

  func post(_ form: FormPost) async throws(CallFailure) -> CallAnswer {
    guard case .answer(let answer) = try await asking(.post(form)) else { throw Self.foreign }
    return answer
  }

  func random(_ count: Int) async -> [UInt8] {
    if case .bytes(let bytes) = await ask(.random(count)) { bytes } else { Self.giveUp() }
  }

  func records(_ keys: [String]) async throws(CallFailure) -> [ProviderRecord?] {
    guard case .records(let records) = try await asking(.records(keys)) else { throw Self.foreign }
    return records
  }

  func commit(_ changes: [RecordChange]) async throws(CallFailure) -> Bool { try await flag(.commit(changes)) }

  func derive(password: String) async throws(CallFailure) -> String {
    guard case .text(let derivation) = try await asking(.derive(password: password)) else { throw Self.foreign }
    return derivation
  }

  func isPassword(_ password: String, of derivation: String?) async throws(CallFailure) -> Bool {
    try await flag(.isPassword(password, derivation: derivation))
  }

  func send(_ mail: ProviderMail) async throws(CallFailure) { _ = try await asking(.send(mail)) }

  func register(
    _ registration: PasskeyRegistration, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey { try await passkey(.register(registration, challenge: challenge)) }

  func verify(
    _ assertion: PasskeyAssertion, of passkey: Passkey, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey {
    try await self.passkey(.verifyPasskey(assertion, passkey: passkey, challenge: challenge))
  }

  private func passkey(_ question: ServiceCall) async throws(PasskeyFailure) -> Passkey {
    switch await ask(question) {
    case .passkey(let passkey): return passkey
    case .passkeyFailure(let failure): throw failure
    default: throw PasskeyFailure("the gateway could not judge it")
    }
  }

  func keep(_ identity: VerifiedIdentity) async throws(CallFailure) { _ = try await asking(.keep(identity)) }

  func isRegistered(_ subject: String, issuer: String) async throws(CallFailure) -> Bool {
    try await flag(.isRegistered(subject: subject, issuer: issuer))
  }

  func endSessions(of subject: String, issuer: String) async throws(CallFailure) {
    _ = try await asking(.endSessions(subject: subject, issuer: issuer))
  }

  private func flag(_ question: ServiceCall) async throws(CallFailure) -> Bool {
    guard case .flag(let flag) = try await asking(question) else { throw Self.foreign }
    return flag
  }
}
