import GatewayBase

/// Makes signed tokens (RFC 7519).
package enum JWT {
  /// What a token is for, so that one kind is never taken for another (RFC 8725 section 3.11).
  package enum Kind: String, Sendable {
    /// An access token (RFC 9068).
    case accessToken = "at+jwt"
    case jwt = "JWT"
    /// Proves to the gateway alone who has a regular account, so that an app-local one can be linked with it.
    case link = "speed-link+jwt"
  }

  /// The token of these claims.
  ///
  /// - Parameter claims: a JSON object.
  package static func sign(claims: [UInt8], kind: Kind, key: SigningKey) throws(CryptoError) -> String {
    try sign(claims: claims, header: "{\"alg\":\"ES256\",\"kid\":\"\(key.kid)\",\"typ\":\"\(kind.rawValue)\"}", key)
  }

  /// The token of these claims for somebody who knows the key by another id than we do.
  ///
  /// - Parameters:
  ///   - claims: a JSON object.
  ///   - kid: the key's id there.
  package static func sign(claims: [UInt8], kid: String, key: SigningKey) throws(CryptoError) -> String {
    try sign(claims: claims, header: "{\"alg\":\"ES256\",\"kid\":\(JSONText.quoted(kid))}", key)
  }

  private static func sign(claims: [UInt8], header: String, _ key: SigningKey) throws(CryptoError) -> String {
    let signingInput = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
    return signingInput + "." + Base64URL.encode(try key.sign(Array(signingInput.utf8)))
  }
}
