import GatewayBase

/// Who a good bearer token speaks for.
package struct Admission: Sendable {
  package let appID: Int64
  package let userID: String
  package let appUserUUID: String
  package let role: String
  /// Whether the account is an app's own and not linked.
  package private(set) var isLocalUser: Bool
  /// `jti` (RFC 7519 section 4.1.7).
  package let tokenID: String
  package let issuedAt: UnixTime
  package let expiresAt: UnixTime
  /// `kid` of the key that signed the token (RFC 7515 section 4.1.4).
  package let keyID: String

  package init(
    appID: Int64, userID: String, appUserUUID: String, role: String, isLocalUser: Bool, tokenID: String,
    issuedAt: UnixTime, expiresAt: UnixTime, keyID: String
  ) {
    self.appID = appID
    self.userID = userID
    self.appUserUUID = appUserUUID
    self.role = role
    self.isLocalUser = isLocalUser
    self.tokenID = tokenID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.keyID = keyID
  }
}

extension Admission {
  package func with(isLocalUser: Bool) -> Admission {
    var copy = self
    copy.isLocalUser = isLocalUser
    return copy
  }
}

/// What has become of a token since it was admitted.
package enum TokenStanding: Sendable, Equatable {
  /// It was ended early.
  case ended
  /// It is good for an account that is, or is not, an app's own and unlinked.
  case good(isLocalUser: Bool)
}

/// The signed proof for backends that a request is a user's.
package struct BackendAssertion: Sendable {
  /// The value of `X-Speed-Assertion`.
  package let text: String
  /// Until when it may be handed out: some of its life is left then.
  package let goodUntil: UnixTime

  package init(text: String, goodUntil: UnixTime) {
    self.text = text
    self.goodUntil = goodUntil
  }
}

/// Judges bearer tokens. The proxy knows no more of them than this.
package protocol TokenAuthority: Sendable {
  /// Checks signature and claims: costly, called on a pool thread.
  ///
  /// - Returns: nil for a token that is not one of ours, or not good now.
  func admit(_ token: [UInt8], now: UnixTime) -> Admission?

  /// Signs an assertion for a token that was admitted, now or before: costly, called on a pool thread.
  ///
  /// - Returns: nil where the key that signed the token verifies no more.
  func assertion(for admission: Admission, now: UnixTime) -> BackendAssertion?

  /// Raised with each revocation and each link of accounts, before its answer: read on every request.
  var revocationVersion: UInt64 { get }

  /// Whether the token was ended early, and what the account is now. Asked once for each token and version.
  func standing(of admission: Admission) -> TokenStanding
}
