import GatewayBase

/// A signed message in compact form (RFC 7515 section 3.1), taken apart strictly and not yet believed.
package struct CompactJWS: Sendable {
  /// The header's `alg`: a claim of whoever wrote it, only ever compared with the key's own algorithm.
  package let algorithm: String
  package let kid: String?
  package let type: String?
  package let payload: [UInt8]
  private let signature: [UInt8]
  private let signingInput: [UInt8]

  /// Takes a token apart.
  ///
  /// - Returns: nil unless it is at most `Limits.identityToken` bytes of three parts in canonical base64url (only the
  ///   payload may be empty), and the header is a JSON object, no name twice, with a string `alg`, strings `kid` and
  ///   `typ` if any, and without `crit` or `b64`: no extension is understood here (RFC 7515 section 4.1.11, RFC 7797).
  ///   Keys that the header brings along (`jwk`, `jku`, `x5c`, `x5u`) are never looked at: anyone can put his own there.
  package init?(parsing token: [UInt8]) {
    guard token.count <= Limits.identityToken else { return nil }
    let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty,
      let headerText = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2]),
      let header = try? JSONValue(parsing: headerText), let algorithm = header["alg"]?.string,
      header["crit"] == nil, header["b64"] == nil
    else { return nil }
    let kid = header["kid"]
    let type = header["typ"]
    guard kid == nil || kid?.string != nil, type == nil || type?.string != nil else { return nil }
    self.algorithm = algorithm
    self.kid = kid?.string
    self.type = type?.string
    self.payload = payload
    self.signature = signature
    signingInput = Array(token.prefix(parts[0].count + 1 + parts[1].count))
  }

  /// Whether the header names the key's algorithm and the signature is the key's.
  package func isSigned(by key: VerifyingKey) -> Bool {
    algorithm == key.algorithm.rawValue && key.verify(signature: signature, over: signingInput)
  }
}
