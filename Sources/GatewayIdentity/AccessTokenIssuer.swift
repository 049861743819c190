import GatewayBase
import GatewayCrypto

/// Signs access tokens. Only the core does so, after a provider has proved who the user is.
package struct AccessTokenIssuer: Sendable {
  /// A signed token and what it says.
  package struct Issued: Sendable {
    /// The compact form, for `Authorization: Bearer`.
    package let text: String
    package let token: AccessToken
  }

  private let keys: SigningKeys
  private let issuer: String
  private let clock: any WallClock

  /// - Parameter issuer: the platform's public URL, `Limits.issuer` bytes at most.
  package init(keys: SigningKeys, issuer: String, clock: any WallClock = SystemClock()) {
    self.keys = keys
    self.issuer = issuer
    self.clock = clock
  }

  /// Issues a token for a user of an app.
  ///
  /// - Parameters:
  ///   - lifetime: seconds; cut to `Limits.tokenLifetime`, for which retired keys verify.
  ///   - useWithin: seconds in which it must be used, or else it ends; nil for no such rule.
  /// - Throws: where OpenSSL fails, which no input brings about.
  package func issue(
    userID: String, appID: Int64, role: String, isLocal: Bool, uuid: String, lifetime: Int64 = Limits.tokenLifetime,
    useWithin: Int64? = nil, for purpose: AccessToken.Purpose = .session
  ) throws(CryptoError) -> Issued {
    let exactly = clock.now
    let now = UnixTime(seconds: exactly.seconds)
    let key = keys.active
    var generator = SystemRandomNumberGenerator()
    let token = AccessToken(
      issuer: issuer, userID: userID, appID: appID, issuedAt: now,
      expiresAt: now.adding(seconds: min(max(lifetime, 0), Limits.tokenLifetime)),
      id: Base64URL.encode(generator.bytes(16)), role: role, isLocal: isLocal, uuid: uuid,
      useBy: useWithin.map { exactly.adding(seconds: $0) }, keyID: key.kid, purpose: purpose)
    return Issued(text: try JWT.sign(claims: token.claims, kind: purpose.kind, key: key), token: token)
  }
}
