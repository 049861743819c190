import GatewayBase
import GatewayIdentity
import GatewayProxy
import ProviderKit

// Sign-ins in a browser: the app gets its answer by way of the target, or by a code that it exchanges.
extension ProviderSignIn {
  /// Ends a sign-in with a proven identity.
  ///
  /// - Parameter begunAt: as in `VerifiedSignIn`.
  /// - Returns: where the browser goes.
  func target(
    of identity: VerifiedIdentity, _ end: WebReturn, provider: any Provider, begunAt: UnixTime? = nil,
    from request: ServiceRequest, _ log: SignInLog
  ) async throws(Refusal) -> String {
    if end.isLinking {
      return try await linkingTarget(of: identity, end, provider: provider, begunAt: begunAt, from: request, log)
    }
    let signIn = try await account(of: identity, app: end.app, provider: provider, begunAt: begunAt, from: request, log)
    guard let challenge = end.challenge else {
      return end.target.bringing(
        try await answering(provider, log) {
          try await session(
            signIn.profile, app: end.app, isNewAccount: signIn.isNewAccount, begunAt: begunAt, log)
        })
    }
    let grant = SignInCodes.Grant(
      app: end.app.configuration.appID, user: signIn.profile.account.id, provider: log.provider,
      isNewAccount: signIn.isNewAccount, isLinking: false)
    return end.target.bringing(
      code: try await answering(provider, log) { try await codes.issue(grant, for: challenge) })
  }

  private func linkingTarget(
    of identity: VerifiedIdentity, _ end: WebReturn, provider: any Provider, begunAt: UnixTime?,
    from request: ServiceRequest, _ log: SignInLog
  ) async throws(Refusal) -> String {
    let profile = try await answering(provider, log) {
      try await accounts.linkingProfile(
        of: verified(
          identity, app: end.app, provider: provider, begunAt: begunAt, from: request))
    }
    if identity.followUp != nil { jobs.wake() }
    return try await answering(provider, log) {
      guard let challenge = end.challenge else {
        return end.target.bringing(try await sessions.beginLinking(profile, in: end.app.configuration))
      }
      let grant = SignInCodes.Grant(
        app: end.app.configuration.appID, user: profile.account.id, provider: log.provider, isNewAccount: false,
        isLinking: true)
      return end.target.bringing(code: try await codes.issue(grant, for: challenge))
    }
  }

  /// Answers `POST /api/platform/auth/exchange`: a code becomes the JSON of the sign-in that it stands for.
  func exchange(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    if let refusal = limit.refusal(of: request) { return refusal }
    let body = try request.jsonObject()
    guard let code = body["code"]?.string, let verifier = body["codeVerifier"]?.string else {
      throw .invalidRequest("Send code and codeVerifier, two strings.")
    }
    do {
      guard let grant = try await codes.redeem(code, verifier: verifier), let app = directory.apps[grant.app] else {
        throw Refusal.invalidCode
      }
      let log = SignInLog(logger: logger, provider: grant.provider, app: grant.app, request: request.requestID)
      // The account may have gone meanwhile.
      if grant.isLinking {
        guard let profile = try await accounts.linkingProfile(user: grant.user, app: grant.app) else {
          throw Refusal.invalidCode
        }
        return .json(200, try await sessions.beginLinking(profile, in: app.configuration))
      }
      guard let profile = try await accounts.profile(user: grant.user, app: grant.app) else {
        throw Refusal.invalidCode
      }
      return .json(200, try await session(profile, app: app, isNewAccount: grant.isNewAccount, log))
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      logger.error(
        "a code could not be exchanged", .text("reason", "\(error)"), .text("requestId", request.requestID))
      throw .internalError
    }
  }
}
