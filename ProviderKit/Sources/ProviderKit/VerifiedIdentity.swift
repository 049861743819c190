/// Who a credential proves to be signing in, in terms that hold for every provider.
public struct VerifiedIdentity: Sendable, Hashable, Codable, Redacted {
  /// Who gives out the subjects, under a name that never changes: `apple`, or the URL of an OpenID issuer. Providers
  /// that know the same people by the same subjects say the same, so that one person has one account through both.
  public let issuer: String
  /// The space in which `subject` is unique, where it is narrower than the issuer and the app: Apple's team.
  public let team: String?
  /// The user's id at the provider: opaque, not empty. The account is found by it, never by the address.
  public let subject: String
  /// An email address that the credential vouches for, or nil.
  public let email: String?
  /// Whether the provider says that the address is the user's.
  public let emailVerified: Bool
  /// Whether the address is a relay that hides the user's own.
  public let isPrivateEmail: Bool
  /// The name as the user typed it, not vouched for; the gateway trims it.
  public let fullName: String?
  /// What must never be accepted again: the gateway burns these when, and only when, the sign-in succeeds.
  public let replayKeys: [ReplayKey]
  /// The client id that the credential was given to: the audience of a token.
  public let client: String?
  /// The user's transfer id, where the provider says that the app has come from another team: an account without this
  /// subject is found by it.
  public let transferID: String?
  /// What is left to do at the provider once the account is durable, as the provider's `perform` reads it: 4 KiB at
  /// most. Whether it succeeds is no matter to the sign-in.
  public let followUp: [UInt8]?
  /// Whether the account is one that all apps share, in place of the app's own. Its name and photo follow the identity.
  public let isShared: Bool
  /// The URL of a picture, of a shared account; 2,000 bytes at most.
  public let photo: String?

  /// Makes an identity.
  public init(
    issuer: String, team: String? = nil, subject: String, email: String? = nil, emailVerified: Bool = false,
    isPrivateEmail: Bool = false, fullName: String? = nil, replayKeys: [ReplayKey], client: String? = nil,
    transferID: String? = nil, followUp: [UInt8]? = nil, isShared: Bool = false, photo: String? = nil
  ) {
    self.issuer = issuer
    self.team = team
    self.subject = subject
    self.email = email
    self.emailVerified = emailVerified
    self.isPrivateEmail = isPrivateEmail
    self.fullName = fullName
    self.replayKeys = replayKeys
    self.client = client
    self.transferID = transferID
    self.followUp = followUp
    self.isShared = isShared
    self.photo = photo
  }
}

/// Something of a credential that is good for one sign-in, on all nodes together.
public struct ReplayKey: Sendable, Hashable, Codable {
  /// A SHA-256 digest that stands for it; equal for equal things, whatever their encoding.
  public let digest: [UInt8]
  /// When the credential can't be accepted any more, so that this may be forgotten: Unix time in milliseconds.
  public let expiresAt: Int64

  /// Makes a key.
  public init(digest: [UInt8], expiresAt: Int64) {
    self.digest = digest
    self.expiresAt = expiresAt
  }
}
