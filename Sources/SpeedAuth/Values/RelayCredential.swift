/// A sign-in that the app made elsewhere, for the platform to take over.
public struct RelayCredential: Sendable, Hashable, Redacted {
  /// The ID token of an OpenID issuer that the app lists, or what the app's own verifier understands.
  public let subjectToken: String
  /// The issuer that the token must name, to be refused where it is another one's.
  public let issuer: String?
  /// The nonce that the token must have.
  public let nonce: String?
  /// The name, for an account that has none.
  public let fullName: String?

  /// Makes a credential.
  public init(subjectToken: String, issuer: String? = nil, nonce: String? = nil, fullName: String? = nil) {
    self.subjectToken = subjectToken
    self.issuer = issuer
    self.nonce = nonce
    self.fullName = fullName
  }
}
