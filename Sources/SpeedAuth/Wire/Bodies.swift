import Foundation

// The platform's JSON, under its own names.

/// The answer of a sign-in, an exchange, a link and a refresh.
struct SignInAnswer: Decodable, Redacted {
  let token: String
  let expiresAt: Date
  let refreshToken: String?
  let user: User
  let role: String
  let appUserUUID: UUID
  let isNewAccount: Bool
  let isLocalUser: Bool
  let linkSuggestion: String?
  let previousUserId: String?

  var state: SignInState {
    SignInState(isNewAccount: isNewAccount, isLocalUser: isLocalUser, hasLinkSuggestion: linkSuggestion != nil)
  }

  /// The session that it begins, or goes on with.
  func session(by method: SignInMethod) -> Session {
    Session(
      token: AccessToken(token), expiresAt: expiresAt, refreshToken: refreshToken.map { RefreshToken($0) },
      user: user, role: role, appUserUUID: appUserUUID, isLocalUser: isLocalUser, method: method)
  }
}

/// The answer of `GET me`, and of an unlink, which has no balance.
struct ProfileAnswer: Decodable, Redacted {
  let user: User
  let role: String
  let appUserUUID: UUID
  let isLocalUser: Bool
  let linkSuggestion: String?
  let balance: Int64?

  var profile: Profile {
    let state = SignInState(isNewAccount: false, isLocalUser: isLocalUser, hasLinkSuggestion: linkSuggestion != nil)
    return Profile(
      user: user, role: role, appUserUUID: appUserUUID, isLocalUser: isLocalUser, state: state, balance: balance ?? 0)
  }
}

struct TicketAnswer: Decodable, Redacted {
  let url: URL
}

/// The members by which a body names the app.
struct NamedApp: Encodable {
  let appId: Int64?
  let domain: String?

  init(_ name: AppName) {
    switch name {
    case .id(let id): (appId, domain) = (id, nil)
    case .domain(let domain): (appId, self.domain) = (nil, domain)
    }
  }
}

struct AppleBody: Encodable, Redacted {
  let app: NamedApp
  let identityToken: String
  let rawNonce: String
  let fullName: String?
  let authorizationCode: String?

  enum CodingKeys: String, CodingKey { case identityToken, rawNonce, fullName, authorizationCode }

  func encode(to encoder: any Encoder) throws {
    try app.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(identityToken, forKey: .identityToken)
    try container.encode(rawNonce, forKey: .rawNonce)
    try container.encodeIfPresent(fullName, forKey: .fullName)
    try container.encodeIfPresent(authorizationCode, forKey: .authorizationCode)
  }
}

struct RelayBody: Encodable, Redacted {
  let app: NamedApp
  let credential: RelayCredential

  enum CodingKeys: String, CodingKey { case subjectToken, issuer, nonce, fullName }

  func encode(to encoder: any Encoder) throws {
    try app.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(credential.subjectToken, forKey: .subjectToken)
    try container.encodeIfPresent(credential.issuer, forKey: .issuer)
    try container.encodeIfPresent(credential.nonce, forKey: .nonce)
    try container.encodeIfPresent(credential.fullName, forKey: .fullName)
  }
}

struct ExchangeBody: Encodable, Redacted {
  let code: String
  let codeVerifier: String
}

struct RefreshBody: Encodable, Redacted {
  let refreshToken: String
}

struct LinkBody: Encodable, Redacted {
  let speedToken: String
  let keep: String?
}

struct DeletionBody: Encodable, Redacted {
  let authorizationCode: String
}

struct TicketBody: Encodable {
  let redirect: String
}
