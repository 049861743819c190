import ProviderKit

// The checks of a token whose signature is good, each with the reason that the log gets.
extension IssuerClaims {
  /// Clock skew that is forgiven either way, in milliseconds.
  static let skew: Int64 = 60_000

  /// - Returns: when the token can't be accepted any more, in Unix milliseconds.
  func checkIssuerAndTimes(issuer expected: String, now: Int64) throws(ProviderFailure) -> Int64 {
    guard let issuer, ByteText.areSame(issuer, expected) else { throw .invalidToken("issuer") }
    guard let expiresAt else { throw .invalidToken("no expiry") }
    let end = expiresAt.milliseconds + Self.skew
    guard now < end else { throw .invalidToken("expired") }
    guard let issuedAt else { throw .invalidToken("no time of issue") }
    guard issuedAt.milliseconds - Self.skew <= now else { throw .invalidToken("issued in the future") }
    if let notBefore, notBefore - Self.skew > now { throw .invalidToken("not good yet") }
    return end
  }

  /// One of the token's audiences must be among those that the app has at the issuer. Others may stand beside it, as in
  /// Auth0's access tokens.
  ///
  /// - Returns: that audience.
  func checkAudience(isAmong expected: [String]) throws(ProviderFailure) -> String {
    let found = audiences.first { audience in expected.contains { ByteText.areSame($0, audience) } }
    guard let found else { throw .invalidToken("audience") }
    return found
  }

  /// Binds the token to the sign-in that the app began: where the app names a nonce, the claim must be that.
  ///
  /// Where it names none a claim is let be: issuers' own libraries make nonces that they keep to themselves.
  func checkNonce(is expected: String?) throws(ProviderFailure) {
    guard let expected else { return }
    guard let nonce else { throw .invalidToken("no nonce claim") }
    guard ByteText.areSame(nonce, expected) else { throw .invalidToken("nonce mismatch") }
  }

  func checkSubject() throws(ProviderFailure) -> String {
    guard let subject, VerifiedIdentity.isSubject(subject) else { throw .invalidToken("subject") }
    return subject
  }
}

/// The types of tokens that say who someone is. Tokens of other types may be signed with the same keys, for other ends:
/// the notice of a sign-out, say (RFC 8725 section 3.11).
enum TokenType {
  private static let known: Set = ["jwt", "at+jwt"]

  /// - Parameter type: the header's `typ`: a media type whose `application/` may be left out (RFC 7515 section 4.1.9).
  static func check(_ type: String?) throws(ProviderFailure) {
    guard let type = type?.lowercased() else { return }
    let prefix = "application/"
    guard known.contains(type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type) else {
      throw .invalidToken("token type")
    }
  }
}
