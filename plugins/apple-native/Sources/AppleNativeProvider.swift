import ProviderKit

/// Sign in with Apple from an iOS app: Apple's identity token and the raw nonce become a verified identity.
struct AppleNativeProvider: Provider {
  let manifest = ProviderManifest(name: "apple-native", version: "1.0.0")

  var refusedCredential: ProviderFailure { .invalidToken("accepted before") }

  /// Checks in the contract's order: the app has bundle IDs, the signature, the issuer and the times, the audience,
  /// the conflict of bundle IDs, the nonce. Replay is the gateway's, by the keys that the identity carries.
  func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    guard !request.app.bundleIDs.isEmpty else { throw .iosNotConfigured }
    let body = try SignInBody(request.body)
    guard let token = body.identityToken else { throw .invalidToken("no identity token") }
    let settings = AppleSettings(await services.settings)

    let claims = try await verifiedClaims(of: token, settings, using: services)
    let expiresAt = try claims.checkIssuerAndTimes(issuer: settings.issuer, now: await services.now)
    try claims.checkAudience(of: request.app)
    let nonce = try await claims.checkNonce(rawNonce: body.rawNonce, using: services)
    let subject = try claims.checkSubject()
    try await claims.checkCode(body.authorizationCode, using: services)

    return identity(
      claims, subject, of: request.app, fullName: body.fullName,
      replayKeys: await replayKeys(
        token: token, nonce: nonce, appID: request.app.appID, expiresAt: expiresAt, using: services),
      followUp: await followUp(body.authorizationCode, claims, subject, of: request.app, using: services))
  }

  /// The identity that checked claims prove.
  func identity(
    _ claims: AppleClaims, _ subject: String, of app: AppDescription, fullName: String?, replayKeys: [ReplayKey],
    followUp: [UInt8]?
  ) -> VerifiedIdentity {
    let address = claims.address
    return VerifiedIdentity(
      issuer: "apple", team: app.teamID, subject: subject, email: address?.email,
      emailVerified: address?.isVerified ?? false, isPrivateEmail: address?.isPrivate ?? false, fullName: fullName,
      replayKeys: replayKeys, client: claims.audience,
      transferID: claims.transferSubject, followUp: followUp)
  }

  /// The code's exchange, where the app has a key for it.
  func followUp(
    _ code: String?, _ claims: AppleClaims, _ subject: String, of app: AppDescription, redirectURI: String? = nil,
    using services: any ProviderServices
  ) async -> [UInt8]? {
    guard app.hasSignInKey, let client = claims.audience else { return nil }
    return await CodeExchange(
      code: code, clients: [client], subject: subject, redirectURI: redirectURI, using: services)?
      .followUp
  }

  func verifiedClaims(
    of token: String, _ settings: AppleSettings, using services: any ProviderServices
  ) async throws(ProviderFailure) -> AppleClaims {
    let verified: VerifiedToken
    do throws(KeyServiceFailure) {
      verified = try await services.verify(token, keySetURL: settings.keySetURL, algorithms: [.rs256])
    } catch {
      throw ProviderFailure(error)
    }
    guard let claims = AppleClaims(payload: verified.payload) else { throw .invalidToken("claims are no JSON object") }
    return claims
  }

  /// What one token uses up. The token counts without its signature, so that no other encoding of one passes for a
  /// second token; its nonce counts within the app, so that two apps can't disturb each other.
  func replayKeys(
    token: String, nonce: String, appID: Int64, expiresAt: Int64, using services: any ProviderServices
  ) async -> [ReplayKey] {
    let signed = token.utf8.prefix(upTo: token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex)
    return [
      ReplayKey(digest: await services.sha256(Array("token:".utf8) + signed), expiresAt: expiresAt),
      ReplayKey(digest: await services.sha256(Array("nonce:\(appID):\(nonce)".utf8)), expiresAt: expiresAt),
    ]
  }
}
