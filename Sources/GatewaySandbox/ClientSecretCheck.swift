import GatewayBase
import GatewayCrypto

/// Judges the secret by which a call proves that it comes from an app's developer, as Apple does.
struct ClientSecretCheck: Sendable {
  /// Seconds that a secret may last at most.
  private static let longest: Int64 = 15_777_000

  let issuer: String
  let now: Int64
  /// Keys that the sandbox has made for developers, by their ids. Others are taken on trust.
  let developerKeys: [String: VerifyingKey]

  /// - Throws: `invalidClient`.
  func check(_ secret: String?, client: String) throws(AppleLedger.Refusal) {
    guard let secret, let jws = CompactJWS(parsing: Array(secret.utf8)), jws.algorithm == "ES256", let kid = jws.kid,
      let claims = try? JSONValue(parsing: jws.payload), claims["iss"]?.string?.isEmpty == false,
      claims["sub"]?.string == client, claims["aud"]?.string == issuer,
      let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer, issuedAt <= now, now < expiresAt,
      expiresAt <= now + Self.longest
    else { throw .invalidClient }
    if let key = developerKeys[kid], !jws.isSigned(by: key) { throw .invalidClient }
  }

  /// Header and claims of a secret, for whoever wants to see what was sent.
  static func shown(_ secret: String) -> JSONValue {
    let parts = secret.split(separator: ".").prefix(2).map { part in
      Base64URL.decode(Array(part.utf8)).flatMap { try? JSONValue(parsing: $0) } ?? .null
    }
    return .array(parts)
  }
}
