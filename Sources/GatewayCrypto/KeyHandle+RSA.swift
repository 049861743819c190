import COpenSSL

extension KeyHandle {
  /// The public RSA key of a modulus and an exponent, both big-endian; nil where one is not sane.
  ///
  /// - modulus: 2,048 to 8,192 bits (RFC 7518 section 3.3; the upper bound keeps one verification under a millisecond),
  ///   odd, without small factors and without the mark of weak generators (`RSAModulus`);
  /// - exponent: odd, from 65,537 to below 2³² (FIPS 186-5 section 5.1), which leaves out 1, for which anything is signed.
  static func rsa(modulus: [UInt8], exponent: [UInt8]) -> KeyHandle? {
    let modulus = modulus.drop { $0 == 0 }
    let exponent = exponent.drop { $0 == 0 }
    guard RSAModulus.isSane(modulus), exponent.count <= 4 else { return nil }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value >= 65_537, value % 2 == 1 else { return nil }
    var n = machineOrder(modulus)
    var e = machineOrder(exponent)
    return unsafe KeyHandle(adopting: copenssl_rsa_public_key(&n, n.count, &e, e.count))
  }

  private static func machineOrder(_ bigEndian: ArraySlice<UInt8>) -> [UInt8] {
    UInt16(1).littleEndian == 1 ? bigEndian.reversed() : Array(bigEndian)
  }

  /// Bits of a modulus of our own: what Apple's keys have.
  private static let generatedBits = 2048

  static func generateRSA() throws(CryptoError) -> KeyHandle {
    guard let handle = unsafe KeyHandle(adopting: copenssl_generate_rsa(UInt32(generatedBits))) else {
      throw .operationFailed("making a key")
    }
    return handle
  }

  /// Modulus and exponent of a key that `generateRSA` made, without leading zeros.
  func rsaNumbers() throws(CryptoError) -> (modulus: [UInt8], exponent: [UInt8]) {
    guard let modulus = number("n", bytes: Self.generatedBits / 8), let exponent = number("e", bytes: 3) else {
      try CryptoError.fail(.operationFailed("reading a key"))
    }
    return (modulus, exponent)
  }
}
