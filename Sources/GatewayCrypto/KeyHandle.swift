import COpenSSL

/// Owns an OpenSSL key.
///
/// `@unchecked Sendable`: the key is never changed after `init`, and OpenSSL's own counts and caches inside it are locked.
@safe final class KeyHandle: @unchecked Sendable {
  let key: OpaquePointer

  /// Takes over the caller's reference; nil, with the error queue emptied, where there is none.
  init?(adopting key: OpaquePointer?) {
    guard let key = unsafe key else {
      ERR_clear_error()
      return nil
    }
    unsafe self.key = unsafe key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Whether this is a signature over SHA-256 of `message` in the key type's own form (PKCS #1 v1.5; DER for ECDSA).
  func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    let good =
      unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    if !good { ERR_clear_error() }
    return good
  }

  /// A signature over SHA-256 of `message` in the key type's own form.
  func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { try CryptoError.fail(.operationFailed("signing")) }
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
    var count = signature.count
    guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
      unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { try CryptoError.fail(.operationFailed("signing")) }
    return Array(signature.prefix(count))
  }

  /// A number of the key, big-endian in exactly `count` bytes; nil where it has none of this name or a longer one.
  func number(_ name: String, bytes count: Int) -> [UInt8]? {
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
    defer { unsafe BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe BN_bn2binpad(number, &bytes, Int32(clamping: count)) == Int32(clamping: count) ? bytes : nil
  }
}
