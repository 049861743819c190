/// Where an app's users sign in before they come here: the section `relay` of its file.
public struct RelayDescription: Sendable, Hashable, Codable {
  /// An OpenID issuer whose tokens the app's users bring.
  public struct Issuer: Sendable, Hashable, Codable {
    /// The issuer, to the byte as its tokens say it in `iss`.
    public let issuer: String
    /// The audience that its tokens must have.
    public let audience: String

    /// Makes an issuer.
    public init(issuer: String, audience: String) {
      self.issuer = issuer
      self.audience = audience
    }
  }

  /// One entry an audience: an issuer may be there several times.
  public let issuers: [Issuer]
  /// Whether the app has a verifier, which `ProviderServices.askVerifier` asks.
  public let hasVerifier: Bool

  /// Makes a description.
  public init(issuers: [Issuer] = [], hasVerifier: Bool = false) {
    self.issuers = issuers
    self.hasVerifier = hasVerifier
  }
}
