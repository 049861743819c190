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

  /// Signs a JWT with the app's own sign-in key (ES256), which never leaves the gateway; the header names its id.
  ///
  /// - Parameter claims: bytes of a JSON object.
  /// - Throws: where the app has no such key, or it can't be read at present.
  func sign(_ claims: [UInt8]) async throws(CallFailure) -> String

  /// Posts a form and waits for the whole answer, five seconds at most. To a host that has not answered lately it may
  /// fail at once.
  func post(_ form: FormPost) async throws(CallFailure) -> FormAnswer
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
  /// The header's `alg`: one of those that the caller accepts.
  public let algorithm: SignatureAlgorithm
  /// The decoded payload; for a JWT, JSON text whose claims are yet to be judged.
  public let payload: [UInt8]

  /// Makes a token.
  public init(keyID: String, algorithm: SignatureAlgorithm, payload: [UInt8]) {
    self.keyID = keyID
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
