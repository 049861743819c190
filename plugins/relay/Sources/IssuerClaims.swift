import FoundationEssentials
import ProviderKit

/// The claims of an issuer's token that count (OpenID Connect Core 1.0 sections 2 and 5.1), each nil where it is absent or of
/// a type that it must not have. What a missing claim means is decided by the checks.
///
/// Only top-level claims count. What stands deeper may be the user's own: Supabase lets users write their
/// `user_metadata`, address and `email_verified` included.
struct IssuerClaims: Decodable {
  let issuer: String?
  /// Of a text, or of a list of texts (RFC 7519 section 4.1.3); empty where there are none.
  let audiences: [String]
  let subject: String?
  let nonce: String?
  let expiresAt: NumericDate?
  let issuedAt: NumericDate?
  /// From when on the token is good, in Unix milliseconds; nil where it does not say. What is no time is after every
  /// date, so that the token is never good.
  let notBefore: Int64?
  /// The address, as it stands in the token.
  let email: String?
  let emailVerified: Bool
  /// For people.
  let name: String?

  private enum CodingKeys: String, CodingKey {
    case iss, aud, sub, nonce, exp, iat, nbf, email, name
    case emailVerified = "email_verified"
  }

  /// The claims of a payload, or nil where it is no JSON object.
  init?(payload: [UInt8]) {
    guard let claims = try? JSONDecoder().decode(IssuerClaims.self, from: Data(payload)) else { return nil }
    self = claims
  }

  init(from decoder: any Decoder) throws {
    let claims = try decoder.container(keyedBy: CodingKeys.self)
    issuer = claims.text(.iss)
    audiences = claims.text(.aud).map { [$0] } ?? (try? claims.decode([String].self, forKey: .aud)) ?? []
    subject = claims.text(.sub)
    nonce = claims.text(.nonce)
    expiresAt = NumericDate(seconds: try? claims.decode(Double.self, forKey: .exp))
    issuedAt = NumericDate(seconds: try? claims.decode(Double.self, forKey: .iat))
    notBefore =
      claims.contains(.nbf)
      ? NumericDate(seconds: try? claims.decode(Double.self, forKey: .nbf))?.milliseconds ?? .max : nil
    email = claims.text(.email)
    // Some issuers send it as a string.
    emailVerified = (try? claims.decode(Bool.self, forKey: .emailVerified)) ?? (claims.text(.emailVerified) == "true")
    name = claims.text(.name)
  }
}

extension KeyedDecodingContainer {
  fileprivate func text(_ key: Key) -> String? { try? decode(String.self, forKey: key) }
}
