import COpenSSL
import GatewayBase

extension KeyHandle {
  /// The bytes of a coordinate or a scalar of P-256.
  static let fieldBytes = 32

  static func generateP256() throws(CryptoError) -> KeyHandle {
    guard let handle = unsafe KeyHandle(adopting: copenssl_generate_p256()) else {
      throw .operationFailed("making a key")
    }
    return handle
  }

  /// The public key of a point; nil where the coordinates are not 32 bytes each or not on the curve.
  static func p256(x: [UInt8], y: [UInt8]) -> KeyHandle? {
    guard x.count == fieldBytes, y.count == fieldBytes else { return nil }
    var point = [4] + x + y
    return unsafe KeyHandle(adopting: copenssl_p256_public_key(&point))
  }

  /// The private key of a PEM text, whose curve and consistency are checked.
  static func p256(pem: Secret) throws(CryptoError) -> KeyHandle {
    let text = pem.reveal()
    guard let bio = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else {
      try CryptoError.fail(.operationFailed("reading a key"))
    }
    defer { unsafe BIO_free(bio) }
    guard let handle = unsafe KeyHandle(adopting: copenssl_read_private_key(bio)) else { throw .unreadableKey }
    guard handle.isConsistentP256 else { try CryptoError.fail(.unsuitableKey) }
    return handle
  }

  private var isConsistentP256: Bool {
    var name = [CChar](repeating: 0, count: 32)
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1, unsafe strcmp(name, "prime256v1") == 0,
      let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
    else { return false }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_pairwise_check(context) == 1
  }

  /// The affine coordinates of the public point, 32 bytes each.
  func p256Coordinates() throws(CryptoError) -> (x: [UInt8], y: [UInt8]) {
    guard let x = number("qx", bytes: Self.fieldBytes), let y = number("qy", bytes: Self.fieldBytes) else {
      try CryptoError.fail(.operationFailed("reading a point"))
    }
    return (x, y)
  }

  /// The private key as unencrypted PKCS #8 in PEM form.
  func pem() throws(CryptoError) -> Secret {
    guard let bio = unsafe BIO_new(BIO_s_secmem()) else { try CryptoError.fail(.operationFailed("writing a key")) }
    defer { unsafe BIO_free(bio) }
    let written = unsafe PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil)
    var text: UnsafeMutablePointer<CChar>?
    let count = unsafe copenssl_memory(bio, &text)
    guard written == 1, let text = unsafe text, count > 0 else {
      try CryptoError.fail(.operationFailed("writing a key"))
    }
    return unsafe Secret(UnsafeRawBufferPointer(start: text, count: count))
  }
}
