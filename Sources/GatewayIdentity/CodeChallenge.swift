import GatewayBase
import GatewayCrypto

/// Binds a code to the app that asked for it (RFC 7636, method S256): the app alone knows the text of which this is the
/// digest, so a code that another app on the device catches is worth nothing.
package struct CodeChallenge: Sendable, Equatable {
  /// SHA-256 of the verifier.
  let digest: [UInt8]

  init(digest: [UInt8]) { self.digest = digest }

  /// The challenge as a request has it; nil where it is no digest in base64url without padding.
  package init?(_ text: String) {
    guard let digest = Base64URL.decode(text.utf8), digest.count == 32 else { return nil }
    self.digest = digest
  }

  /// As a request has it.
  package var text: String { Base64URL.encode(digest) }

  /// Whether a verifier, of 43 to 128 unreserved characters (RFC 7636 section 4.1), is the one.
  package func isMet(by verifier: String) -> Bool {
    let bytes = Array(verifier.utf8)
    return (43...128).contains(bytes.count) && bytes.allSatisfy(Self.isUnreserved)
      && constantTimeEqual(Digest.sha256(bytes), digest)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E
  }
}
