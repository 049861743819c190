/// A nonce of one sign-in with Apple: the digest goes to Apple, the raw value to the platform.
public struct AppleNonce: Sendable, Hashable, Redacted {
  /// 43 characters from the system's secure generator.
  public let raw: String

  /// Makes a fresh one.
  public init() { raw = RandomText.fresh() }

  /// What `ASAuthorizationAppleIDRequest.nonce` gets: the SHA-256 in lowercase hex.
  public var hashed: String { SHA256.hex(raw) }
}

/// What a sign-in with Apple brought.
public struct AppleCredential: Sendable, Hashable, Redacted {
  /// Apple's name for the user, `ASAuthorizationAppleIDCredential.user`: it tells whose name is kept for a second try.
  public let user: String
  /// Apple's JWT.
  public let identityToken: String
  /// The nonce of the request.
  public let nonce: AppleNonce
  /// The name, which Apple tells once, at the first authorization. The client keeps it until a sign-in succeeds.
  public let fullName: String?
  /// The code by which the platform can revoke Apple's tokens at deletion.
  public let authorizationCode: String?

  /// Makes a credential of what Apple's sheet brought.
  public init(
    user: String, identityToken: String, nonce: AppleNonce, fullName: String? = nil, authorizationCode: String? = nil
  ) {
    self.user = user
    self.identityToken = identityToken
    self.nonce = nonce
    self.fullName = fullName
    self.authorizationCode = authorizationCode
  }
}
