/// A public key that judges signatures: from any thread, at once, cheap to share.
package final class VerifyingKey: Sendable, Equatable {
  package let algorithm: SignatureAlgorithm
  private let material: Material
  private let handle: KeyHandle

  /// What makes two keys the same key.
  enum Material: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case p256(x: [UInt8], y: [UInt8])
  }

  /// - Returns: nil for material that no sound key has: see `KeyHandle.rsa` and `KeyHandle.p256`.
  init?(_ material: Material) {
    switch material {
    case .rsa(let modulus, let exponent):
      guard let handle = KeyHandle.rsa(modulus: modulus, exponent: exponent) else { return nil }
      self.algorithm = .rs256
      self.handle = handle
    case .p256(let x, let y):
      guard let handle = KeyHandle.p256(x: x, y: y) else { return nil }
      self.algorithm = .es256
      self.handle = handle
    }
    self.material = material
  }

  /// Whether `signature` is this key's over `message`. An ES256 signature has exactly 64 bytes, r and s in range.
  package func verify(signature: [UInt8], over message: [UInt8]) -> Bool {
    switch algorithm {
    case .rs256: return handle.verifies(signature, over: message)
    case .es256:
      guard let der = ECDSASignature.der(raw: signature) else { return false }
      return handle.verifies(der, over: message)
    }
  }

  package static func == (a: VerifyingKey, b: VerifyingKey) -> Bool { a.material == b.material }
}
