import GatewayBase
import GatewayConfig
import GatewayIdentity

/// Gives out the tokens of sessions, and writes the answer of a sign-in.
struct SessionIssuer: Sendable {
  let tokens: AccessTokenIssuer
  let refreshTokens: RefreshTokens
  let revocations: RevocationSet
  let clock: any WallClock

  /// The tokens of a sign-in.
  ///
  /// - Parameters:
  ///   - begunAt: as in `VerifiedSignIn`.
  ///   - previousUserID: of an account that has become part of this one.
  /// - Throws: `SignInFailure.ended`; `Refusal.storeUnavailable`, where the app has opted in to refresh tokens;
  ///   `CryptoError`.
  func begin(
    _ profile: Profile, in app: TenantConfiguration, isNewAccount: Bool, begunAt: UnixTime? = nil,
    previousUserID: String? = nil
  ) async throws -> [UInt8] {
    if let begunAt, revocations.hasEnded(user: profile.account.id, app: app.appID, since: begunAt) {
      throw SignInFailure.ended
    }
    let issued = try await issue(profile, in: app)
    var refreshToken: String?
    if app.sessions.refresh {
      refreshToken = try await refreshTokens.begin(
        RefreshTokens.Owner(user: profile.account.id, app: app.appID), with: RefreshTokens.Companion(issued.token))
    }
    return profile.signInBody(
      token: issued.text, expiresAt: issued.token.expiresAt, isNewAccount: isNewAccount, refreshToken: refreshToken,
      previousUserID: previousUserID)
  }

  /// The JSON of a sign-in with a token that is good for one link with the regular account, and as no session.
  ///
  /// - Throws: `CryptoError`.
  func beginLinking(_ profile: Profile, in app: TenantConfiguration) async throws -> [UInt8] {
    await waitOut(profile.account.id, app: app.appID)
    let issued = try tokens.issue(
      userID: profile.account.id, appID: app.appID, role: Profile.role, isLocal: false, uuid: profile.appUserUUID,
      lifetime: Limits.linkToken, for: .linking)
    return profile.signInBody(token: issued.text, expiresAt: issued.token.expiresAt, isNewAccount: false)
  }

  /// The JSON of a sign-in with a token of its own for a URL, where a web view finds it. It ends unless it is used in
  /// time; there is no refresh token for it, as that would stand in the URL too.
  ///
  /// - Throws: `CryptoError`.
  func beginInURL(_ profile: Profile, in app: TenantConfiguration) async throws -> [UInt8] {
    let issued = try await issue(profile, in: app, useWithin: Limits.ticket)
    return profile.signInBody(token: issued.text, expiresAt: issued.token.expiresAt, isNewAccount: false)
  }

  /// The next tokens of a session; nil where the refresh token was used before.
  ///
  /// - Throws: as `begin` does.
  func renew(_ profile: Profile, in app: TenantConfiguration, refreshToken: String) async throws -> [UInt8]? {
    let issued = try await issue(profile, in: app)
    guard let next = try await refreshTokens.rotate(refreshToken, with: RefreshTokens.Companion(issued.token)) else {
      return nil
    }
    return profile.signInBody(
      token: issued.text, expiresAt: issued.token.expiresAt, isNewAccount: false, refreshToken: next)
  }

  private func issue(
    _ profile: Profile, in app: TenantConfiguration, useWithin: Int64? = nil
  ) async throws -> AccessTokenIssuer.Issued {
    let account = profile.account
    await waitOut(account.id, app: app.appID)
    return try tokens.issue(
      userID: account.id, appID: app.appID, role: Profile.role, isLocal: profile.isLocalUser, uuid: profile.appUserUUID,
      lifetime: app.sessions.lifetime.seconds, useWithin: useWithin)
  }

  /// Issue times are whole seconds: in the second in which all of a user's tokens were ended a new one would be taken
  /// for one of them, so it waits for the next.
  private func waitOut(_ user: String, app: Int64) async {
    let now = clock.now
    guard revocations.isRevoked(jti: "", user: user, app: app, issuedAt: now) else { return }
    try? await Task.sleep(nanoseconds: UInt64(1000 - now.milliseconds % 1000) * 1_000_000)
  }
}
