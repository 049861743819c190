/// A private RSA key of 2,048 bits that signs with RS256.
///
/// The gateway signs its own tokens with ES256 alone (`SigningKey`). This one is for the sandbox, whose identity tokens
/// and key set must be like Apple's.
package final class RSASigningKey: Sendable {
  /// The public half, with `kid`, `use` and `alg`, as a published key set shows it.
  package let publicJWK: JSONWebKey
  private let handle: KeyHandle

  /// The key's id.
  package var kid: String { publicJWK.kid }

  /// A new random key: it takes tenths of a second.
  ///
  /// - Parameter kid: its id, which must be unique in the set that it joins.
  /// - Throws: `operationFailed`.
  package static func generate(kid: String) throws(CryptoError) -> RSASigningKey {
    try RSASigningKey(.generateRSA(), kid: kid)
  }

  private init(_ handle: KeyHandle, kid: String) throws(CryptoError) {
    let (modulus, exponent) = try handle.rsaNumbers()
    publicJWK = JSONWebKey(kid: kid, modulus: modulus, exponent: exponent)
    self.handle = handle
  }

  /// The RS256 signature over `message`: 256 bytes.
  ///
  /// - Throws: `operationFailed`.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] { try handle.sign(message) }
}
