import CFIDO2

/// The public key of a passkey, for libfido2.
@safe final class PublicKey {
  /// By its number in COSE (RFC 9053).
  enum Algorithm: Int32 {
    case es256 = -7
    case edDSA = -8
    case rs256 = -257
  }

  let algorithm: Algorithm
  /// Of the type that the algorithm says.
  let pointer: UnsafeRawPointer
  private var handle: OpaquePointer?

  /// - Parameter bytes: a COSE_Key (RFC 9052 section 7).
  /// - Returns: nil where it is none of the algorithms, or no key.
  init?(_ bytes: [UInt8]) {
    var reader = CBORReader(bytes)
    guard let key = try? reader.value(), reader.isAtEnd, let number = key[3]?.integer,
      let algorithm = Int32(exactly: number).flatMap(Algorithm.init)
    else { return nil }
    let handle: OpaquePointer?
    switch algorithm {
    case .es256:
      guard key[1]?.integer == 2, key[-1]?.integer == 1, let x = key[-2]?.bytes, let y = key[-3]?.bytes,
        x.count == 32, y.count == 32
      else { return nil }
      unsafe handle = es256_pk_new()
      guard unsafe handle != nil, unsafe es256_pk_from_ptr(handle, x + y, 64) == FIDO_OK else {
        unsafe Self.free(handle, algorithm)
        return nil
      }
    case .edDSA:
      guard key[1]?.integer == 1, key[-1]?.integer == 6, let x = key[-2]?.bytes, x.count == 32 else { return nil }
      unsafe handle = eddsa_pk_new()
      guard unsafe handle != nil, unsafe eddsa_pk_from_ptr(handle, x, 32) == FIDO_OK else {
        unsafe Self.free(handle, algorithm)
        return nil
      }
    case .rs256:
      guard key[1]?.integer == 3, let n = key[-1]?.bytes, let e = key[-2]?.bytes, n.count == 256, e.count == 3 else {
        return nil
      }
      unsafe handle = rs256_pk_new()
      guard unsafe handle != nil, unsafe rs256_pk_from_ptr(handle, n + e, 259) == FIDO_OK else {
        unsafe Self.free(handle, algorithm)
        return nil
      }
    }
    guard let made = unsafe handle else { return nil }
    self.algorithm = algorithm
    unsafe self.handle = unsafe made
    unsafe pointer = UnsafeRawPointer(made)
    guard isUsable else { return nil }
  }

  deinit { unsafe Self.free(handle, algorithm) }

  /// Whether its numbers make a key: a point is on its curve.
  private var isUsable: Bool {
    let key =
      switch algorithm {
      case .es256: unsafe es256_pk_to_EVP_PKEY(handle)
      case .edDSA: unsafe eddsa_pk_to_EVP_PKEY(handle)
      case .rs256: unsafe rs256_pk_to_EVP_PKEY(handle)
      }
    defer { unsafe EVP_PKEY_free(key) }
    return unsafe key != nil
  }

  private static func free(_ handle: OpaquePointer?, _ algorithm: Algorithm) {
    var handle = unsafe handle
    switch algorithm {
    case .es256: unsafe es256_pk_free(&handle)
    case .edDSA: unsafe eddsa_pk_free(&handle)
    case .rs256: unsafe rs256_pk_free(&handle)
    }
  }
}
