/// What the gateway does for a provider during one request.
///
/// Every member may be a call to another process, hence `async`.
public protocol ProviderServices: Sendable {
  /// The time by the gateway's clock: Unix time in milliseconds.
  var now: Int64 { get async }

  /// The section of `gateway.yaml` that `plugin.yaml` names under `settings`, as key and text; empty where it
  /// names none.
  var settings: [String: String] { get async }

  /// The SHA-256 digest of `bytes`: 32 bytes.
  func sha256(_ bytes: [UInt8]) async -> [UInt8]

  /// Checks the signature of a token with a key of a published key set, and nothing else: its claims are not judged.
  ///
  /// The token's shape and its header are judged before any key is fetched. The key is the one that the header's
  /// `kid` names, never another; the set is cached.
  ///
  /// - Parameters:
  ///   - token: a JWS in compact form (RFC 7515 section 7.1).
  ///   - keySetURL: where the issuer publishes its JWK set (RFC 7517).
  ///   - algorithms: those that the caller accepts. The header chooses among them and nothing else, so that a
  ///     public key can't be passed off as an HMAC secret.
  func verify(
    _ token: String, keySetURL: String, algorithms: [SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken

  /// The same for a token of an OpenID issuer that the app of the call lists under `relay`: where its keys are is found by
  /// discovery (OpenID Connect Discovery 1.0 section 4), cached like the keys.
  ///
  /// - Parameter issuer: as `RelayDescription.Issuer` has it. Any other one is out of reach.
  func verify(
    _ token: String, issuer: String, algorithms: [SignatureAlgorithm]
  ) async throws(KeyServiceFailure) -> VerifiedToken

  /// Asks the verifier of the app that the call is about, and waits for the whole answer, five seconds at most. The request
  /// is signed with the secret that the app shares with its verifier, which never leaves the gateway.
  ///
  /// - Parameter question: bytes of a JSON object, posted as they are.
  /// - Throws: where the app has no verifier, its secret is missing, or nothing answers.
  func askVerifier(_ question: [UInt8]) async throws(CallFailure) -> CallAnswer

  /// Signs a JWT with the app's own sign-in key (ES256), which never leaves the gateway; the header names its id.
  ///
  /// - Parameter claims: bytes of a JSON object.
  /// - Throws: where the app has no such key, or it can't be read at present.
  func sign(_ claims: [UInt8]) async throws(CallFailure) -> String

  /// Posts a form and waits for the whole answer, five seconds at most. To a host that has not answered lately it may
  /// fail at once.
  func post(_ form: FormPost) async throws(CallFailure) -> CallAnswer

  /// Random bytes for secrets, 1,024 at most.
  func random(_ count: Int) async -> [UInt8]

  /// The provider's records of these keys, in their order; nil for those that are not there. 32 keys at
  /// most; what was changed together is seen together.
  func records(_ keys: [String]) async throws(CallFailure) -> [ProviderRecord?]

  /// Makes all changes, or none where a condition does not hold. Durable once it returns true. Each key is named once;
  /// 32 changes at most.
  ///
  /// - Returns: whether they were made.
  func commit(_ changes: [RecordChange]) async throws(CallFailure) -> Bool

  /// Derives what is kept of a password (scrypt, RFC 7914, at OWASP's figures), on a thread of few. Takes about a tenth of
  /// a second.
  ///
  /// - Returns: text that names its own parameters and salt.
  /// - Throws: where too many wait already.
  func derive(password: String) async throws(CallFailure) -> String

  /// Whether a password is the one that `derivation` was made of. Takes as long as `derive`, also where `derivation` is nil:
  /// so nobody learns from the time whether there is an account.
  ///
  /// - Throws: where too many wait already.
  func isPassword(_ password: String, of derivation: String?) async throws(CallFailure) -> Bool

  /// Hands a letter to the gateway's mail relay. It is queued and sent behind, so the time tells nothing of the recipient.
  ///
  /// - Throws: where no relay is configured, the address is none, or too many letters wait.
  func send(_ mail: ProviderMail) async throws(CallFailure)

  /// Checks a new passkey: the challenge, the origin, the relying party, that the person was there and verified, the
  /// attestation's own signature where it has one.
  func register(
    _ registration: PasskeyRegistration, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey

  /// Checks a sign-in with a passkey.
  ///
  /// - Returns: the passkey as it is to be kept from now on.
  /// - Throws: also where its count of signatures has not gone up, as that of a copy.
  func verify(
    _ assertion: PasskeyAssertion, of passkey: Passkey, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey

  /// Makes or updates the shared account of an identity (`VerifiedIdentity.isShared`), without a sign-in to any app. Its
  /// name, photo and verified address follow the identity.
  func keep(_ identity: VerifiedIdentity) async throws(CallFailure)

  /// Whether the shared account of a subject is registered with the app that the call is about: it has signed in there, and
  /// has not been deleted since.
  func isRegistered(_ subject: String, issuer: String) async throws(CallFailure) -> Bool

  /// Ends the tokens of a shared account in all apps, here at once, on other nodes within two seconds.
  func endSessions(of subject: String, issuer: String) async throws(CallFailure)
}

/// A signature algorithm by its JOSE name (RFC 7518 section 3.1).
public enum SignatureAlgorithm: String, Sendable, Hashable, Codable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// ECDSA with P-256 and SHA-256.
  case es256 = "ES256"
}

/// A token whose signature is good.
public struct VerifiedToken: Sendable, Hashable, Codable, Redacted {
  /// The header's `kid`: the key that signed.
  public let keyID: String
  /// The header's `typ` (RFC 7515 section 4.1.9), where it has one.
  public let type: String?
  /// The header's `alg`: one of those that the caller accepts.
  public let algorithm: SignatureAlgorithm
  /// The decoded payload; for a JWT, JSON text whose claims are yet to be judged.
  public let payload: [UInt8]

  /// Makes a token.
  public init(keyID: String, type: String? = nil, algorithm: SignatureAlgorithm, payload: [UInt8]) {
    self.keyID = keyID
    self.type = type
    self.algorithm = algorithm
    self.payload = payload
  }
}

/// Why a token's signature could not be found good.
public enum KeyServiceFailure: Error, Sendable, Hashable, Codable {
  /// No JWS in compact form, or a header without `kid`, with foreign `crit` or a text of too many bytes.
  case malformed
  /// The header's `alg` is none of those that the caller accepts.
  case unacceptableAlgorithm
  /// The key set has no key of this `kid`.
  case unknownKey
  /// The key exists, but did not sign this.
  case badSignature
  /// No key set can be had at present.
  ///
  /// - retryAfter: seconds after which another try makes sense.
  case unavailable(retryAfter: Int)
}
