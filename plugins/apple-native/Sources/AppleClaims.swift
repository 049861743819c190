import FoundationEssentials
import ProviderKit

/// The claims of an identity token that count, each nil where it is absent or of a type that Apple never sends.
///
/// Decoding never fails for a claim's sake: Apple changed the types of claims overnight before. What a missing claim
/// means is decided by the checks.
struct AppleClaims: Decodable {
  let issuer: String?
  /// The one audience; nil where there are none or several (RFC 7519 section 4.1.3 allows both forms).
  let audience: String?
  let subject: String?
  let nonce: String?
  /// What binds an authorization code to the token (OpenID Connect Core section 3.3.2.11).
  let codeHash: String?
  let expiresAt: NumericDate?
  let issuedAt: NumericDate?
  /// From when on the token is good, in Unix milliseconds; nil where it does not say, as Apple's don't. What is no time
  /// is after every date, so that the token is never good.
  let notBefore: Int64?
  /// The user's id while the app comes from another team: for sixty days.
  let transferSubject: String?
  /// The address, as it stands in the token.
  let email: String?
  let emailVerified: Bool
  let isPrivateEmail: Bool

  private enum CodingKeys: String, CodingKey {
    case iss, aud, sub, nonce, exp, iat, nbf, email
    case codeHash = "c_hash"
    case transferSubject = "transfer_sub"
    case emailVerified = "email_verified"
    case isPrivateEmail = "is_private_email"
  }

  /// The claims of a payload, or nil where it is no JSON object.
  init?(payload: [UInt8]) {
    guard let claims = try? JSONDecoder().decode(AppleClaims.self, from: Data(payload)) else { return nil }
    self = claims
  }

  init(from decoder: any Decoder) throws {
    let claims = try decoder.container(keyedBy: CodingKeys.self)
    issuer = claims.text(.iss)
    audience = claims.text(.aud) ?? claims.onlyElement(.aud)
    subject = claims.text(.sub)
    nonce = claims.text(.nonce)
    codeHash = claims.text(.codeHash)
    expiresAt = NumericDate(seconds: try? claims.decode(Double.self, forKey: .exp))
    issuedAt = NumericDate(seconds: try? claims.decode(Double.self, forKey: .iat))
    notBefore =
      claims.contains(.nbf)
      ? NumericDate(seconds: try? claims.decode(Double.self, forKey: .nbf))?.milliseconds ?? .max : nil
    transferSubject = claims.text(.transferSubject)
    email = claims.text(.email)
    emailVerified = claims.flag(.emailVerified)
    isPrivateEmail = claims.flag(.isPrivateEmail)
  }
}

extension KeyedDecodingContainer {
  fileprivate func text(_ key: Key) -> String? { try? decode(String.self, forKey: key) }

  fileprivate func onlyElement(_ key: Key) -> String? {
    guard let list = try? decode([String].self, forKey: key), list.count == 1 else { return nil }
    return list[0]
  }

  /// True for `true` and `"true"`: Apple has sent both forms. Anything else is false.
  fileprivate func flag(_ key: Key) -> Bool { (try? decode(Bool.self, forKey: key)) ?? (text(key) == "true") }
}
