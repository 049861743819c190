/// A public key with which a person signs in, as the provider keeps it (W3C Web Authentication, a credential record).
public struct Passkey: Sendable, Hashable, Codable, Redacted {
  /// The credential's id: 1 to 1023 bytes.
  public let id: [UInt8]
  /// Its public key: ES256, EdDSA or RS256, as COSE_Key (RFC 9052 section 7).
  public let publicKey: [UInt8]
  /// How often its authenticator says that it signed; zero where it does not count.
  public let signCount: UInt32
  /// Whether it may be kept at more than one place, as those of a phone's keychain are.
  public let isBackedUp: Bool

  /// Makes a passkey.
  public init(id: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackedUp: Bool) {
    self.id = id
    self.publicKey = publicKey
    self.signCount = signCount
    self.isBackedUp = isBackedUp
  }
}

/// What a browser was asked, and by whom: what its answer is checked against.
public struct PasskeyChallenge: Sendable, Hashable, Codable, Redacted {
  /// What must be signed: 32 bytes that nobody could know before.
  public let bytes: [UInt8]
  /// The relying party's id: the host of the pages.
  public let relyingParty: String
  /// `PageRequest.origin`.
  public let origin: String

  /// Makes a challenge.
  public init(bytes: [UInt8], relyingParty: String, origin: String) {
    self.bytes = bytes
    self.relyingParty = relyingParty
    self.origin = origin
  }
}

/// What `navigator.credentials.create` gave: the members of its `AuthenticatorAttestationResponse`.
public struct PasskeyRegistration: Sendable, Hashable, Codable, Redacted {
  /// `clientDataJSON`.
  public let clientData: [UInt8]
  /// `attestationObject`.
  public let attestation: [UInt8]

  /// Makes one.
  public init(clientData: [UInt8], attestation: [UInt8]) {
    self.clientData = clientData
    self.attestation = attestation
  }
}

/// What `navigator.credentials.get` gave: the members of its `AuthenticatorAssertionResponse`.
public struct PasskeyAssertion: Sendable, Hashable, Codable, Redacted {
  /// `clientDataJSON`.
  public let clientData: [UInt8]
  /// `authenticatorData`.
  public let authenticatorData: [UInt8]
  /// `signature`.
  public let signature: [UInt8]

  /// Makes one.
  public init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
  }
}

/// Why a passkey's answer is not good.
public struct PasskeyFailure: Error, Sendable, Hashable, Codable {
  /// Which check failed, for the log, as a few constant words.
  public let reason: String

  /// Makes a failure.
  public init(_ reason: String) { self.reason = reason }
}
