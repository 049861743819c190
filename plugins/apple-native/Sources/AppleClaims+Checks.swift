import ProviderKit

// The checks of a token whose signature is good, each with the reason that the log gets.
extension AppleClaims {
  /// Clock skew that is forgiven either way, in milliseconds.
  static let skew: Int64 = 60_000
  /// Characters that a raw nonce must have, so that it can't be guessed.
  private static let rawNonceCharacters = 32

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

  /// Only bundle IDs count: a token for the app's Services ID was given to a web page, not to the app.
  func checkAudience(of app: AppDescription) throws(ProviderFailure) {
    guard let audience, app.bundleIDs.contains(where: { ByteText.areSame($0, audience) }) else {
      throw .invalidToken("audience")
    }
    try app.requireAlone(audience)
  }

  /// Only the Services ID counts on the web: a token for a bundle ID was given to an app.
  func checkAudience(isServicesID services: String) throws(ProviderFailure) {
    guard let audience, ByteText.areSame(audience, services) else { throw .invalidToken("audience") }
  }

  /// Binds the token to the sign-in that the gateway began: Apple passes its nonce on as it is.
  func checkNonce(is expected: String) throws(ProviderFailure) {
    guard let nonce else { throw .invalidToken("no nonce claim") }
    guard ByteText.areSame(nonce, expected) else { throw .invalidToken("nonce mismatch") }
  }

  /// Binds the token to the device that asked for it: whoever stole the token lacks the raw nonce.
  ///
  /// A token without the claim is refused, also where it says `nonce_supported: false`: nothing would bind it.
  ///
  /// - Returns: the claim.
  func checkNonce(rawNonce: String?, using services: any ProviderServices) async throws(ProviderFailure) -> String {
    guard let rawNonce else { throw .invalidToken("no raw nonce") }
    guard rawNonce.count >= Self.rawNonceCharacters else { throw .invalidToken("raw nonce too short") }
    guard let nonce else { throw .invalidToken("no nonce claim") }
    let digest = await services.sha256(Array(rawNonce.utf8))
    guard ByteText.areSame(nonce, ByteText.hexadecimal(digest)) else { throw .invalidToken("nonce mismatch") }
    return nonce
  }

  /// Where the token says which code came with it, that one must have: another's code would give the gateway a grant of
  /// that other's account.
  func checkCode(_ code: String?, using services: any ProviderServices) async throws(ProviderFailure) {
    guard let code, let codeHash else { return }
    let half = await services.sha256(Array(code.utf8)).prefix(16)
    guard ByteText.bytes(base64URL: codeHash) == Array(half) else { throw .invalidToken("code hash") }
  }

  func checkSubject() throws(ProviderFailure) -> String {
    guard let subject, VerifiedIdentity.isSubject(subject) else { throw .invalidToken("subject") }
    return subject
  }
}

extension AppDescription {
  /// - Throws: `bundle_id_conflict` where another app claims this bundle ID or Services ID too.
  func requireAlone(_ audience: String) throws(ProviderFailure) {
    guard !conflictedBundleIDs.contains(where: { ByteText.areSame($0, audience) }) else { throw .bundleIDConflict }
  }
}
