/// The only algorithms of signatures that the gateway makes or takes (RFC 7518 section 3.1).
///
/// A key has one of them, fixed by its type. A token's header is only compared with it, never obeyed: otherwise
/// `none`, or an HMAC keyed with a public key, would pass for a signature.
package enum SignatureAlgorithm: String, Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// ECDSA on P-256 with SHA-256; a signature is the 64 bytes r and s.
  case es256 = "ES256"
}
