import GatewayBase

/// Makes signed tokens (RFC 7519).
package enum JWT {
  /// What a token is for, so that one kind is never taken for another (RFC 8725 section 3.11).
  package enum Kind: String, Sendable {
    /// An access token (RFC 9068).
    case accessToken = "at+jwt"
    case jwt = "JWT"
  }

  /// The token of these claims.
  ///
  /// - Parameter claims: a JSON object.
  package static func sign(claims: [UInt8], kind: Kind, key: SigningKey) throws(CryptoError) -> String {
    let header = "{\"alg\":\"ES256\",\"kid\":\"\(key.kid)\",\"typ\":\"\(kind.rawValue)\"}"
    let signingInput = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
    return signingInput + "." + Base64URL.encode(try key.sign(Array(signingInput.utf8)))
  }
}
