import GatewayBase

/// What a provider has proven about who signs in, and what the client side adds.
package struct VerifiedSignIn: Sendable {
  /// Bytes of a subject (OpenID Connect Core section 2).
  static let subjectBytes = 255

  static func isUsable(_ subject: String) -> Bool { (1...subjectBytes).contains(subject.utf8.count) }

  /// The app that is signed in to.
  package let app: Int64
  /// Who gives out the subjects. Plugins that know the same people by the same subjects share one name.
  package let issuer: String
  /// The app's team at the provider, within which a subject is stable; nil where the app has none.
  package let team: String?
  /// Who it is, in the provider's name space: 1 to 255 bytes.
  package let subject: String
  /// The address in the token; empty counts as none.
  package let email: String?
  /// Whether the provider says that the address is the person's.
  package let emailVerified: Bool
  /// Whether the address is one of the provider's relays.
  package let isPrivateEmail: Bool
  /// As the client side sent it. Nothing proves it, so it is kept only where the account has no name.
  package let fullName: String?
  /// What must be accepted once only: the token, and its nonce.
  package let replayKeys: [ReplayKey]
  /// The plugin that has proven it.
  package let provider: String
  /// The client id at the provider that the credential was given to.
  package let client: String?
  /// The user's id while the app comes from another team.
  package let transferID: String?
  /// What the plugin leaves to be done once the account is durable.
  package let followUp: [UInt8]?
  /// Whether the account is a regular one, which all apps share.
  package let isShared: Bool
  /// The URL of a picture, of a regular account.
  package let photo: String?
  /// When what proves it was looked at, where that may be old: an end of all sessions since then is an end of this one.
  package let begunAt: UnixTime?
  /// Where the sign-in came from.
  package let origin: AuditEntry.Origin

  package init(
    app: Int64, issuer: String, team: String?, subject: String, email: String?, emailVerified: Bool,
    isPrivateEmail: Bool, fullName: String?, replayKeys: [ReplayKey], provider: String, client: String? = nil,
    transferID: String? = nil, followUp: [UInt8]? = nil, isShared: Bool = false, photo: String? = nil,
    begunAt: UnixTime? = nil, origin: AuditEntry.Origin = .none
  ) {
    self.app = app
    self.issuer = issuer
    self.team = team
    self.subject = subject
    self.email = email
    self.emailVerified = emailVerified
    self.isPrivateEmail = isPrivateEmail
    self.fullName = fullName
    self.replayKeys = replayKeys
    self.provider = provider
    self.client = client
    self.transferID = transferID
    self.followUp = followUp
    self.isShared = isShared
    self.photo = photo
    self.begunAt = begunAt
    self.origin = origin
  }
}

/// Whose a regular account is, and what it shows: all of it follows the provider.
package struct SharedIdentity: Sendable {
  let issuer: String
  let subject: String
  let name: String?
  /// Nil unless the provider vouches for it: a regular account has no other address.
  let email: String?
  let photo: String?

  package init(issuer: String, subject: String, name: String?, email: String?, emailVerified: Bool, photo: String?) {
    self.issuer = issuer
    self.subject = subject
    self.name = name.flatMap(DisplayName.cleaned)
    self.email = emailVerified ? EmailAddress.accepted(email) : nil
    self.photo = PictureURL.accepted(photo)
  }

  init(_ signIn: VerifiedSignIn) {
    self.init(
      issuer: signIn.issuer, subject: signIn.subject, name: signIn.fullName, email: signIn.email,
      emailVerified: signIn.emailVerified, photo: signIn.photo)
  }
}

/// A credential that is good for one success on all nodes together.
package struct ReplayKey: Sendable, Equatable {
  /// Bytes of a SHA-256 digest.
  static let bytes = 32

  let digest: [UInt8]
  let expiresAt: UnixTime

  /// - Parameters:
  ///   - digest: a SHA-256 of the credential and of what it belongs to, 32 bytes.
  ///   - expiresAt: when no check accepts the credential any more, clock skew included.
  package init(digest: [UInt8], expiresAt: UnixTime) {
    precondition(digest.count == Self.bytes)
    self.digest = digest
    self.expiresAt = expiresAt
  }
}

/// Why an identity that its provider vouches for gets no account. The provider's own code answers all.
package enum SignInFailure: Error, Sendable, Equatable {
  /// The token or its nonce was accepted before.
  case replayed
  /// The subject is empty or over 255 bytes.
  case unusableSubject
  /// All sessions of the account were ended since the sign-in began.
  case ended
}
