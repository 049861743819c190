import ProviderKit

/// A sign-in that was made elsewhere: the token of an OpenID issuer that the app lists, or one for which the app's own
/// verifier vouches, becomes a verified identity.
public struct RelayProvider: Provider {
  /// As `plugin.yaml` has it.
  public let manifest = ProviderManifest(name: "relay", version: "1.0.0")

  /// That of every token which is not good.
  public var refusedCredential: ProviderFailure { .invalidToken("accepted before") }

  /// Makes a provider.
  public init() {}

  /// Checks in this order: the app relays at all, the body, who is asked, what he says. Replay is the gateway's, by the
  /// keys that the identity carries.
  public func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    let relay = request.app.relay
    guard !relay.issuers.isEmpty || relay.hasVerifier else { throw .relayNotConfigured }
    let body = try SignInBody(request.body)
    guard let token = body.subjectToken, !token.isEmpty else { throw .invalidToken("no subject token") }
    switch try Authority(for: token, named: body.issuer, in: relay) {
    case .issuer(let issuer):
      return try await identity(of: token, body, from: issuer, app: request.app, using: services)
    case .verifier: return try await identity(vouchedFor: token, body, app: request.app, using: services)
    }
  }

  /// The identity that an issuer's token proves.
  private func identity(
    of token: String, _ body: SignInBody, from issuer: String, app: AppDescription, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    let claims = try await verifiedClaims(of: token, issuer: issuer, using: services)
    let expiresAt = try claims.checkIssuerAndTimes(issuer: issuer, now: await services.now)
    let audiences = app.relay.issuers.filter { ByteText.areSame($0.issuer, issuer) }.map(\.audience)
    let audience = try claims.checkAudience(isAmong: audiences)
    try claims.checkNonce(is: body.nonce)
    let subject = try claims.checkSubject()
    let email = VerifiedIdentity.emailAddress(claims.email)
    return VerifiedIdentity(
      issuer: issuer, subject: subject, email: email, emailVerified: email != nil && claims.emailVerified,
      fullName: body.fullName ?? claims.name,
      replayKeys: await ReplayKeys(services)
        .ofToken(token, nonce: claims.nonce, issuer: issuer, app: app.appID, expiresAt: expiresAt),
      client: audience)
  }

  private func verifiedClaims(
    of token: String, issuer: String, using services: any ProviderServices
  ) async throws(ProviderFailure) -> IssuerClaims {
    let verified: VerifiedToken
    do throws(KeyServiceFailure) {
      verified = try await services.verify(token, issuer: issuer, algorithms: [.rs256, .es256])
    } catch {
      throw ProviderFailure(error)
    }
    try TokenType.check(verified.type)
    guard let claims = IssuerClaims(payload: verified.payload) else { throw .invalidToken("claims are no JSON object") }
    return claims
  }

  /// The identity that the app's verifier vouches for.
  private func identity(
    vouchedFor token: String, _ body: SignInBody, app: AppDescription, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    let question = try VerifierQuestion(subjectToken: token, appId: app.appID, nonce: body.nonce).bytes
    let answer: CallAnswer
    do throws(CallFailure) {
      answer = try await services.askVerifier(question)
    } catch {
      throw .verifierUnavailable("the verifier: \(error.reason)")
    }
    let voucher = try VerifierAnswer(answer)
    let email = VerifiedIdentity.emailAddress(voucher.email)
    return VerifiedIdentity(
      issuer: Self.verifierName, subject: voucher.subject, email: email,
      emailVerified: email != nil && voucher.emailVerified == true, fullName: body.fullName ?? voucher.name,
      replayKeys: [await ReplayKeys(services).ofOpaqueToken(token, app: app.appID, now: services.now)])
  }

  /// Stands for every app's verifier, which knows its subjects by itself: its URL may move.
  private static let verifierName = "verifier"
}
