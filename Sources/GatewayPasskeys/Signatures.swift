import CFIDO2

/// Signatures of authenticators, by libfido2.
enum Signatures {
  /// Whether a key signed what an authenticator says and the browser's part.
  ///
  /// - Parameters:
  ///   - data: as the authenticator wrote it.
  ///   - clientHash: SHA-256 of the browser's part.
  static func isGood(
    _ signature: [UInt8], of data: [UInt8], clientHash: [UInt8], relyingParty: String, key: PublicKey
  ) -> Bool {
    var assertion = unsafe fido_assert_new()
    defer { unsafe fido_assert_free(&assertion) }
    return withExtendedLifetime(key) {
      unsafe assertion != nil
        && fido_assert_set_count(assertion, 1) == FIDO_OK
        && fido_assert_set_rp(assertion, relyingParty) == FIDO_OK
        && fido_assert_set_clientdata_hash(assertion, clientHash, clientHash.count) == FIDO_OK
        && fido_assert_set_authdata_raw(assertion, 0, data, data.count) == FIDO_OK
        && fido_assert_set_sig(assertion, 0, signature, signature.count) == FIDO_OK
        && fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK
        && fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK
        && fido_assert_verify(assertion, 0, key.algorithm.rawValue, key.pointer) == FIDO_OK
    }
  }

  /// Whether a `packed` attestation (WebAuthn section 8.2) was signed by the new key itself, or by the certificate that
  /// it brings. Who signed that is not judged: an authenticator of any maker is good.
  ///
  /// - Parameter statement: `attStmt`, as it is written.
  static func isGoodPacked(
    _ statement: [UInt8], of data: [UInt8], _ parsed: AuthenticatorData, clientHash: [UInt8], relyingParty: String,
    algorithm: PublicKey.Algorithm
  ) -> Bool {
    var credential = unsafe fido_cred_new()
    defer { unsafe fido_cred_free(&credential) }
    let isRead =
      unsafe credential != nil
      && fido_cred_set_type(credential, algorithm.rawValue) == FIDO_OK
      && fido_cred_set_rp(credential, relyingParty, nil) == FIDO_OK
      && fido_cred_set_clientdata_hash(credential, clientHash, clientHash.count) == FIDO_OK
      && fido_cred_set_authdata_raw(credential, data, data.count) == FIDO_OK
      && fido_cred_set_fmt(credential, "packed") == FIDO_OK
      && fido_cred_set_attstmt(credential, statement, statement.count) == FIDO_OK
      && fido_cred_set_uv(credential, FIDO_OPT_TRUE) == FIDO_OK
    guard isRead else { return false }
    // libfido2 wants to be told of what browsers ask for by themselves.
    if let level = parsed.extensions?["credProtect"]?.integer {
      guard (1...3).contains(level), unsafe fido_cred_set_prot(credential, Int32(level)) == FIDO_OK else {
        return false
      }
    }
    return unsafe fido_cred_x5c_ptr(credential) == nil
      ? fido_cred_verify_self(credential) == FIDO_OK : fido_cred_verify(credential) == FIDO_OK
  }
}
