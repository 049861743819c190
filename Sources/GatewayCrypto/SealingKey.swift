import COpenSSL
import GatewayBase

/// A key that seals small secrets with AES-256-GCM (NIST SP 800-38D), bound to what they belong to.
///
/// Nonces are random, which is safe for 2³² secrets under one key (section 8.3): rotate long before.
package struct SealingKey: Sendable {
  /// Bytes of a key.
  package static let bytes = 32
  /// Bytes that a sealed secret has more than the open one.
  package static let overhead = nonceBytes + tagBytes
  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// The key itself, for a file that only this process's user may read.
  package let secret: Secret

  /// - Returns: nil unless there are 32 bytes.
  package init?(_ secret: Secret) {
    guard secret.reveal().count == Self.bytes else { return nil }
    self.secret = secret
  }

  /// A new random key.
  package static func generate() -> SealingKey {
    var generator = SystemRandomNumberGenerator()
    guard let key = SealingKey(Secret(generator.bytes(bytes))) else { preconditionFailure("32 bytes are a key") }
    return key
  }

  /// Seals a secret: nonce, ciphertext and tag.
  ///
  /// - Parameter context: what the secret belongs to; `open` must be given the same.
  /// - Throws: `operationFailed`.
  package func seal(_ secret: [UInt8], context: [UInt8]) throws(CryptoError) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let nonce = generator.bytes(Self.nonceBytes)
    guard let sealed = run(.seal, secret, nonce: nonce, context: context) else {
      try CryptoError.fail(.operationFailed("sealing"))
    }
    return nonce + sealed
  }

  /// The secret of a sealed one; nil where it was sealed with another key or for another context, or was changed.
  package func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.overhead else { return nil }
    let opened = run(
      .open, Array(sealed.dropFirst(Self.nonceBytes)), nonce: Array(sealed.prefix(Self.nonceBytes)), context: context)
    if opened == nil { ERR_clear_error() }
    return opened
  }

  private enum Direction: Int32 {
    case open = 0
    case seal = 1
  }

  /// - Parameter input: for `open` with the tag at its end; so is the result of `seal`.
  private func run(_ direction: Direction, _ input: [UInt8], nonce: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return nil }
    defer { unsafe EVP_CIPHER_CTX_free(cipher) }
    let text = direction == .seal ? input : Array(input.dropLast(Self.tagBytes))
    var tag = direction == .seal ? [UInt8](repeating: 0, count: Self.tagBytes) : Array(input.suffix(Self.tagBytes))
    var output = [UInt8](repeating: 0, count: text.count)
    var count: Int32 = 0
    var rest = [UInt8](repeating: 0, count: Self.tagBytes)
    guard
      unsafe EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), nil, secret.reveal(), nonce, direction.rawValue) == 1,
      unsafe EVP_CipherUpdate(cipher, nil, &count, context, Int32(clamping: context.count)) == 1,
      unsafe text.isEmpty || EVP_CipherUpdate(cipher, &output, &count, text, Int32(clamping: text.count)) == 1
    else { return nil }
    if direction == .open {
      guard unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1 else {
        return nil
      }
    }
    guard unsafe EVP_CipherFinal_ex(cipher, &rest, &count) == 1 else { return nil }
    guard direction == .seal else { return output }
    guard unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag) == 1 else { return nil }
    return output + tag
  }
}
