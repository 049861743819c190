import GatewayBase
import GatewayCrypto

/// Signs the value of `X-Speed-Assertion`: proof for a backend that this gateway forwarded the request of this user.
///
/// A JWT (`typ` `JWT`, ES256) of `Limits.assertionLifetime` seconds, under 1,000 bytes. Its claims are `iss`, `sub`,
/// `iat`, `exp`, `role`, `local`, `uuid` as in an access token, and `aud`: `app:` and the app's id. Type and audience
/// differ from an access token's, so that neither ever passes for the other (RFC 8725 section 3.12).
package struct AssertionIssuer: Sendable {
  /// An assertion, which may go with every request of the same user until `renewAt`.
  package struct Assertion: Sendable {
    /// The compact form, as bytes of a header's value.
    package let bytes: [UInt8]
    /// When the next one should be made: half its life is left then, so that a slow backend still finds it good.
    package let renewAt: UnixTime
    package let expiresAt: UnixTime
  }

  /// Whom an assertion speaks for, as the verified token of a request says.
  package struct User: Sendable {
    package let id: String
    package let appID: Int64
    package let role: String
    /// Whether the account is app-local.
    package let isLocal: Bool
    /// The user's UUID within the app.
    package let uuid: String

    package init(id: String, appID: Int64, role: String, isLocal: Bool, uuid: String) {
      self.id = id
      self.appID = appID
      self.role = role
      self.isLocal = isLocal
      self.uuid = uuid
    }
  }

  private let keys: SigningKeys
  private let issuer: String

  /// - Parameter issuer: the platform's public URL, `Limits.issuer` bytes at most.
  package init(keys: SigningKeys, issuer: String) {
    self.keys = keys
    self.issuer = issuer
  }

  /// - Throws: where OpenSSL fails, which no input brings about.
  package func issue(for user: User, now: UnixTime) throws(CryptoError) -> Assertion {
    let issuedAt = UnixTime(seconds: now.seconds)
    let expiresAt = issuedAt.adding(seconds: Limits.assertionLifetime)
    var claims = JSONClaims()
    claims.add("iss", issuer)
    claims.add("aud", "app:\(user.appID)")
    claims.add("sub", user.id)
    claims.add("iat", issuedAt)
    claims.add("exp", expiresAt)
    claims.add("role", user.role)
    claims.add("local", user.isLocal)
    claims.add("uuid", user.uuid)
    return try sign(claims, issuedAt: issuedAt, expiresAt: expiresAt)
  }

  /// The assertion of the gateway's own health checks, which speak for no user: without `sub`, `local` and `uuid`, and
  /// with the role `health`, which no user has.
  ///
  /// - Parameter app: whose backend is checked.
  /// - Throws: where OpenSSL fails, which no input brings about.
  package func issueForCheck(app: Int64, now: UnixTime) throws(CryptoError) -> Assertion {
    let issuedAt = UnixTime(seconds: now.seconds)
    let expiresAt = issuedAt.adding(seconds: Limits.assertionLifetime)
    var claims = JSONClaims()
    claims.add("iss", issuer)
    claims.add("aud", "app:\(app)")
    claims.add("iat", issuedAt)
    claims.add("exp", expiresAt)
    claims.add("role", "health")
    return try sign(claims, issuedAt: issuedAt, expiresAt: expiresAt)
  }

  private func sign(
    _ claims: JSONClaims, issuedAt: UnixTime, expiresAt: UnixTime
  ) throws(CryptoError) -> Assertion {
    Assertion(
      bytes: Array(try JWT.sign(claims: claims.bytes, kind: .jwt, key: keys.active).utf8),
      renewAt: issuedAt.adding(seconds: Limits.assertionLifetime / 2), expiresAt: expiresAt)
  }
}
