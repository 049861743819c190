import GatewayBase
import GatewayCrypto

/// What a bearer token says once it is verified: a JWT of type `at+jwt` (RFC 9068) that this gateway signed with ES256.
package struct AccessToken: Sendable, Equatable {
  /// What a token is good for. Each has its own type and its own form of `aud`: who checks either of them takes no other.
  package enum Purpose: Sendable, Equatable, CaseIterable {
    /// Requests of a signed-in user.
    case session
    /// One link of an app-local account with the regular one that the token names.
    case linking

    var kind: JWT.Kind { self == .session ? .accessToken : .link }

    fileprivate var audiencePrefix: String { self == .session ? "" : "link:" }
  }

  /// What it is good for.
  package let purpose: Purpose
  /// `iss`: the platform's public URL.
  package let issuer: String
  /// `sub`.
  package let userID: String
  /// `aud`: the app's id, a string of digits in a session's token.
  package let appID: Int64
  /// `iat`, in whole seconds.
  package let issuedAt: UnixTime
  /// `exp`, in whole seconds: from then on the token is not good.
  package let expiresAt: UnixTime
  /// `jti`: 128 random bits, by which a token is revoked.
  package let id: String
  /// `role`.
  package let role: String
  /// `local`: whether the account was app-local when the token was issued.
  package let isLocal: Bool
  /// `uuid`: the user's UUID within the app, the same for ever.
  package let uuid: String
  /// `use_by`, in Unix milliseconds: of a token that ends unless it is used before then. Nil for all others.
  package let useBy: UnixTime?
  /// The header's `kid`: the key that signed it.
  package let keyID: String

  /// The claims as a JSON object.
  var claims: [UInt8] {
    var claims = JSONClaims()
    claims.add("iss", issuer)
    claims.add("sub", userID)
    claims.add("aud", purpose.audiencePrefix + String(appID))
    claims.add("iat", issuedAt)
    claims.add("exp", expiresAt)
    claims.add("jti", id)
    claims.add("role", role)
    claims.add("local", isLocal)
    claims.add("uuid", uuid)
    if let useBy { claims.add("use_by", milliseconds: useBy) }
    return claims.bytes
  }

  /// Reads the claims; nil where one is missing, of the wrong type or no sane value.
  init?(claims payload: [UInt8], keyID: String, for purpose: Purpose = .session) {
    guard let json = try? JSONValue(parsing: payload),
      let issuer = json["iss"]?.string, let userID = json["sub"]?.string, !userID.isEmpty,
      let audience = json["aud"]?.string, audience.hasPrefix(purpose.audiencePrefix),
      let appID = Int64(audience.dropFirst(purpose.audiencePrefix.count)),
      purpose.audiencePrefix + String(appID) == audience,
      let issuedAt = Self.time(json["iat"]), let expiresAt = Self.time(json["exp"]), issuedAt <= expiresAt,
      let id = json["jti"]?.string, !id.isEmpty, let role = json["role"]?.string, let isLocal = json["local"]?.bool,
      let uuid = json["uuid"]?.string
    else { return nil }
    let useBy = json["use_by"]?.integer
    guard useBy != nil || json["use_by"] == nil else { return nil }
    self.init(
      issuer: issuer, userID: userID, appID: appID, issuedAt: issuedAt, expiresAt: expiresAt, id: id, role: role,
      isLocal: isLocal, uuid: uuid, useBy: useBy.map { UnixTime(milliseconds: $0) }, keyID: keyID, purpose: purpose)
  }

  init(
    issuer: String, userID: String, appID: Int64, issuedAt: UnixTime, expiresAt: UnixTime, id: String, role: String,
    isLocal: Bool, uuid: String, useBy: UnixTime? = nil, keyID: String, purpose: Purpose = .session
  ) {
    self.purpose = purpose
    self.issuer = issuer
    self.userID = userID
    self.appID = appID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.id = id
    self.role = role
    self.isLocal = isLocal
    self.uuid = uuid
    self.useBy = useBy
    self.keyID = keyID
  }

  /// A whole number of seconds between 1970 and the end of the year 9999.
  private static func time(_ claim: JSONValue?) -> UnixTime? {
    guard let seconds = claim?.integer, (0...253_402_300_799).contains(seconds) else { return nil }
    return UnixTime(seconds: seconds)
  }
}
