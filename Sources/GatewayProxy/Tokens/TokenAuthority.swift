import GatewayBase

/// Who a good bearer token speaks for.
package struct Admission: Sendable {
  package let appID: Int64
  package let userID: String
  package let appUserUUID: String
  package let role: String
  package let isLocalUser: Bool
  /// `jti` (RFC 7519 section 4.1.7).
  package let tokenID: String
  package let issuedAt: UnixTime
  package let expiresAt: UnixTime
  /// The signed proof for backends, and until when it may be handed out.
  package let assertion: String
  package let assertionGoodUntil: UnixTime

  package init(
    appID: Int64, userID: String, appUserUUID: String, role: String, isLocalUser: Bool, tokenID: String,
    issuedAt: UnixTime, expiresAt: UnixTime, assertion: String, assertionGoodUntil: UnixTime
  ) {
    self.appID = appID
    self.userID = userID
    self.appUserUUID = appUserUUID
    self.role = role
    self.isLocalUser = isLocalUser
    self.tokenID = tokenID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.assertion = assertion
    self.assertionGoodUntil = assertionGoodUntil
  }
}

/// Judges bearer tokens. The proxy knows no more of them than this.
package protocol TokenAuthority: Sendable {
  /// Checks signature and claims, and signs the assertion: costly, called on a pool thread.
  ///
  /// - Returns: nil for a token that is not one of ours, or not good now.
  func admit(_ token: [UInt8], now: UnixTime) -> Admission?

  /// Raised with each revocation, before its answer: read on every request.
  var revocationVersion: UInt64 { get }

  /// Whether the token was ended early. Asked once for each token and version.
  func isRevoked(_ admission: Admission) -> Bool
}
