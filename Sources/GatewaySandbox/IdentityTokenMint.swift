import GatewayBase
import GatewayCrypto

/// Makes the identity tokens of one request.
struct IdentityTokenMint: Sendable {
  private let request: IdentityTokenRequest
  private let issuer: String
  private let key: RSASigningKey
  /// The header, encoded: all tokens of a request share it.
  private let header: String

  init(_ request: IdentityTokenRequest, issuer: String, keys: KeyRing) {
    self.request = request
    self.issuer = issuer
    key = keys.key(request.key)
    let kid = request.kid ?? (request.key == .foreign ? keys.current.kid : key.kid)
    let usual: [String: JSONValue] = ["kid": .string(kid), "alg": .string(request.algorithm)]
    header = Base64URL.encode(JSONValue.object(usual.merging(request.header) { $1 }).jsonText)
  }

  /// A signed token and what the app of its user would send with it: half a millisecond of work and more.
  ///
  /// - Throws: `CryptoError`.
  func mint() throws(CryptoError) -> JSONValue {
    let (claim, raw) = nonce
    let signingInput = "\(header).\(Base64URL.encode(JSONValue.object(claims(nonce: claim)).jsonText))"
    let signature = try key.sign(Array(signingInput.utf8))
    return .object([
      "identityToken": .string("\(signingInput).\(Base64URL.encode(signature))"),
      "rawNonce": raw.map { .string($0) } ?? .null,
    ])
  }

  private var nonce: (claim: String, raw: String?) {
    switch request.nonce {
    case .random:
      let raw = RandomText.nonce()
      return (Self.digest(raw), raw)
    case .digest(let raw): return (Self.digest(raw), raw)
    case .verbatim(let claim, let raw): return (claim, raw)
    }
  }

  /// What apps pass to Apple: SHA-256 in lower-case hexadecimal.
  private static func digest(_ raw: String) -> String { Hex.encode(Digest.sha256(Array(raw.utf8))) }

  private func claims(nonce: String) -> [String: JSONValue] {
    var claims: [String: JSONValue] = [
      "iss": .string(issuer), "aud": .string(request.audience),
      "sub": .string(request.subject ?? RandomText.subject()), "nonce": .string(nonce), "nonce_supported": .bool(true),
      "iat": .integer(request.issuedAt), "exp": .integer(request.expiresAt), "auth_time": .integer(request.issuedAt),
    ]
    claims.merge(request.emailClaims) { $1 }
    claims.merge(request.claims) { $1 }
    for name in request.omitted { claims[name] = nil }
    return claims
  }
}
