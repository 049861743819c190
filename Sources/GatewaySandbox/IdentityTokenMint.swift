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

  /// A token, and what the app of its user would send with it.
  struct Minted: Sendable {
    let token: String
    let rawNonce: String?
    /// The code that goes with it, where one was asked for.
    let code: AppleLedger.Code?

    var json: JSONValue {
      var members: [String: JSONValue] = [
        "identityToken": .string(token), "rawNonce": rawNonce.map { .string($0) } ?? .null,
      ]
      if let code { members["authorizationCode"] = .string(code.text) }
      return .object(members)
    }
  }

  /// Signs a token: half a millisecond of work and more.
  ///
  /// - Throws: `CryptoError`.
  func mint() throws(CryptoError) -> Minted {
    let (claim, raw) = nonce
    var claims = claims(nonce: claim)
    let code = request.wantsCode ? AppleLedger.Code(claims, redirectURI: request.redirectURI) : nil
    if let code, !request.omitted.contains("c_hash"), request.claims["c_hash"] == nil {
      claims["c_hash"] = .string(Base64URL.encode(Array(Digest.sha256(Array(code.text.utf8)).prefix(16))))
    }
    return Minted(token: try signed(claims), rawNonce: raw, code: code)
  }

  /// A token of these claims and no others.
  ///
  /// - Throws: `CryptoError`.
  func signed(_ claims: [String: JSONValue]) throws(CryptoError) -> String {
    let signingInput = "\(header).\(Base64URL.encode(JSONValue.object(claims).jsonText))"
    return "\(signingInput).\(Base64URL.encode(try key.sign(Array(signingInput.utf8))))"
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
