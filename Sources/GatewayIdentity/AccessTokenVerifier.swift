import GatewayBase
import GatewayCrypto

/// Judges bearer tokens. Takes about a tenth of a millisecond: for a worker thread, not for an event loop.
///
/// Whether a good token was revoked is not judged here.
package struct AccessTokenVerifier: Sendable {
  /// Why a token is not good, in the order of the checks. For operators; a client side only hears `invalid_token`.
  package enum Rejection: String, Error, Sendable, CustomStringConvertible {
    case malformed = "it is no signed token"
    case wrongType = "it is no access token (typ is not at+jwt)"
    case wrongAlgorithm = "it is not signed with ES256"
    case unknownKey = "its key is none of the gateway's"
    case badSignature = "its signature is not good"
    case malformedClaims = "a claim is missing or has no valid value"
    case wrongIssuer = "another issuer made it"
    case wrongApp = "it is for another app"
    case expired = "it has expired"

    package var description: String { rawValue }
  }

  private let keys: SigningKeys
  private let issuer: String

  /// - Parameter issuer: the only `iss` that is taken.
  package init(keys: SigningKeys, issuer: String) {
    self.keys = keys
    self.issuer = issuer
  }

  /// Judges a token at a time.
  ///
  /// `exp` is strict, as the same clocks wrote it. `iat` is not compared with now: a node whose clock is a second behind
  /// would refuse what another just issued.
  ///
  /// - Parameters:
  ///   - app: the app that the token must be for; nil takes any app's.
  ///   - purposes: what the token may be for.
  package func verify(
    _ token: [UInt8], app: Int64?, now: UnixTime, for purposes: [AccessToken.Purpose] = [.session]
  ) -> Result<AccessToken, Rejection> {
    guard token.count <= Limits.bearer, let jws = CompactJWS(parsing: token) else { return .failure(.malformed) }
    guard let purpose = purposes.first(where: { jws.type == $0.kind.rawValue }) else { return .failure(.wrongType) }
    guard jws.algorithm == SignatureAlgorithm.es256.rawValue else { return .failure(.wrongAlgorithm) }
    guard let kid = jws.kid, let key = keys.verifyingKey(kid: kid) else { return .failure(.unknownKey) }
    guard jws.isSigned(by: key) else { return .failure(.badSignature) }
    guard let token = AccessToken(claims: jws.payload, keyID: kid, for: purpose) else {
      return .failure(.malformedClaims)
    }
    guard token.issuer == issuer else { return .failure(.wrongIssuer) }
    if let app, token.appID != app { return .failure(.wrongApp) }
    guard now < token.expiresAt else { return .failure(.expired) }
    return .success(token)
  }

  /// Whether tokens that this key signed are taken now: of one that was verified before, that alone can have changed but
  /// for its expiry.
  package func takes(keyID: String) -> Bool { keys.verifyingKey(kid: keyID) != nil }
}
