import GatewayBase
import GatewayCrypto
import ProviderKit

/// Judges what browsers and authenticators answer (W3C Web Authentication, Level 3, sections 7.1 and 7.2).
package enum PasskeyCheck {
  /// Checks a new passkey.
  ///
  /// An attestation of the kind `none` says nothing, one of `packed` must be well signed; others are not asked for, and
  /// are refused.
  package static func register(
    _ registration: PasskeyRegistration, for challenge: PasskeyChallenge
  ) throws(PasskeyFailure) -> Passkey {
    guard registration.attestation.count <= Limits.passkey else { throw PasskeyFailure("the attestation is too large") }
    try checkClientData(registration.clientData, "webauthn.create", challenge)
    guard let object = AttestationObject(registration.attestation) else {
      throw PasskeyFailure("the attestation is malformed")
    }
    let data = try authenticatorData(object.data, challenge)
    guard let credential = data.credential else { throw PasskeyFailure("there is no credential in it") }
    guard let key = PublicKey(credential.publicKey) else { throw PasskeyFailure("the key is none of those taken") }
    switch object.format {
    case "none":
      guard object.isEmpty else { throw PasskeyFailure("the attestation is malformed") }
    case "packed":
      let isGood = Signatures.isGoodPacked(
        object.statement, of: object.data, data, clientHash: Digest.sha256(registration.clientData),
        relyingParty: challenge.relyingParty, algorithm: key.algorithm)
      guard isGood else { throw PasskeyFailure("the attestation is not well signed") }
    default: throw PasskeyFailure("the attestation is of a kind that was not asked for")
    }
    return Passkey(
      id: credential.id, publicKey: credential.publicKey, signCount: data.signCount, isBackedUp: data.mayBeBackedUp)
  }

  /// Checks a sign-in with a passkey.
  ///
  /// - Returns: the passkey with its new count.
  package static func verify(
    _ assertion: PasskeyAssertion, of passkey: Passkey, for challenge: PasskeyChallenge
  ) throws(PasskeyFailure) -> Passkey {
    guard assertion.authenticatorData.count <= Limits.passkey, assertion.signature.count <= Limits.passkey else {
      throw PasskeyFailure("the assertion is too large")
    }
    try checkClientData(assertion.clientData, "webauthn.get", challenge)
    let data = try authenticatorData(assertion.authenticatorData, challenge)
    guard data.mayBeBackedUp == passkey.isBackedUp else {
      throw PasskeyFailure("where the passkey may be kept has changed")
    }
    guard let key = PublicKey(passkey.publicKey) else { throw PasskeyFailure("the kept key is none") }
    let isGood = Signatures.isGood(
      assertion.signature, of: assertion.authenticatorData, clientHash: Digest.sha256(assertion.clientData),
      relyingParty: challenge.relyingParty, key: key)
    guard isGood else { throw PasskeyFailure("the signature is not good") }
    // Section 6.1.1: a count that does not rise is that of a copy; zero on both sides says that it does not count.
    guard data.signCount > passkey.signCount || (data.signCount == 0 && passkey.signCount == 0) else {
      throw PasskeyFailure("the count of signatures has not gone up")
    }
    return Passkey(
      id: passkey.id, publicKey: passkey.publicKey, signCount: data.signCount, isBackedUp: passkey.isBackedUp)
  }

  /// What the browser says: that it was asked this, by these pages and for them.
  private static func checkClientData(
    _ bytes: [UInt8], _ type: String, _ challenge: PasskeyChallenge
  ) throws(PasskeyFailure) {
    guard bytes.count <= Limits.passkey, let data = try? JSONValue(parsing: bytes), data.object != nil else {
      throw PasskeyFailure("the browser's part is malformed")
    }
    guard data["type"]?.string == type else { throw PasskeyFailure("the answer is to another question") }
    guard let sent = data["challenge"]?.string, let answered = Base64URL.decode(sent.utf8), !challenge.bytes.isEmpty,
      constantTimeEqual(answered, challenge.bytes)
    else { throw PasskeyFailure("the challenge is another one") }
    guard data["origin"]?.string == challenge.origin else { throw PasskeyFailure("the origin is another one") }
    switch data["crossOrigin"] {
    case nil, .bool(false): break
    default: throw PasskeyFailure("the page was shown in another one")
    }
    guard data["topOrigin"] == nil else { throw PasskeyFailure("the page was shown in another one") }
  }

  private static func authenticatorData(
    _ bytes: [UInt8], _ challenge: PasskeyChallenge
  ) throws(PasskeyFailure) -> AuthenticatorData {
    guard let data = try? AuthenticatorData(bytes) else {
      throw PasskeyFailure("the authenticator's part is malformed")
    }
    guard data.relyingPartyHash == Digest.sha256(Array(challenge.relyingParty.utf8)) else {
      throw PasskeyFailure("the relying party is another one")
    }
    guard data.isUserPresent else { throw PasskeyFailure("the person was not there") }
    guard data.isUserVerified else { throw PasskeyFailure("the person was not verified") }
    return data
  }
}

/// `attestationObject` (WebAuthn section 6.5.4).
private struct AttestationObject {
  let format: String
  /// `attStmt`, as it is written.
  let statement: [UInt8]
  /// Whether it says nothing.
  let isEmpty: Bool
  /// `authData`.
  let data: [UInt8]

  init?(_ bytes: [UInt8]) {
    var reader = CBORReader(bytes)
    guard let members = try? reader.members(), reader.isAtEnd, members.count == 3,
      let format = members["fmt"]?.value.text, let statement = members["attStmt"],
      case .map(let said) = statement.value,
      let data = members["authData"]?.value.bytes
    else { return nil }
    self.format = format
    self.statement = statement.written
    isEmpty = said.isEmpty
    self.data = data
  }
}
