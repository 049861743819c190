import GatewayBase

/// A private key on P-256 that signs the gateway's own tokens with ES256.
package final class SigningKey: Sendable {
  /// The public half, with `kid`, `use` and `alg`, as the published key set shows it.
  package let publicJWK: JSONWebKey
  /// The key's id: its thumbprint (RFC 7638), so that one key never has two ids nor two keys one.
  package let kid: String
  /// The public half, to verify with.
  package let verifyingKey: VerifyingKey
  private let handle: KeyHandle

  /// A new random key.
  package static func generate() throws(CryptoError) -> SigningKey { try SigningKey(.generateP256()) }

  /// - Parameter pem: an unencrypted P-256 private key in PEM form.
  /// - Throws: `unreadableKey`, or `unsuitableKey` for another type or curve.
  package convenience init(pem: Secret) throws(CryptoError) { try self.init(.p256(pem: pem)) }

  /// A key that others made and handed over, in any shape in which their tools leave its text.
  ///
  /// - Parameter text: an unencrypted P-256 private key.
  /// - Throws: `unreadableKey`, or `unsuitableKey` for another type or curve.
  package convenience init(anyShape text: Secret) throws(CryptoError) {
    guard let pem = PrivateKeyText.pem(text) else { throw .unreadableKey }
    try self.init(pem: pem)
  }

  private init(_ handle: KeyHandle) throws(CryptoError) {
    let (x, y) = try handle.p256Coordinates()
    guard let verifyingKey = VerifyingKey(.p256(x: x, y: y)) else { throw .unsuitableKey }
    self.handle = handle
    self.verifyingKey = verifyingKey
    publicJWK = JSONWebKey(x: x, y: y)
    kid = publicJWK.kid
  }

  /// The private key as PKCS #8 in PEM form, for a file that only this process's user may read.
  package func pem() throws(CryptoError) -> Secret { try handle.pem() }

  /// The ES256 signature over `message`: r and s, 64 bytes.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let signature = ECDSASignature.raw(der: try handle.sign(message)) else { throw .operationFailed("signing") }
    return signature
  }
}
