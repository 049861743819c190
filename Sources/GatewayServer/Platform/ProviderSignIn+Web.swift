import GatewayBase
import GatewayIdentity
import GatewayProxy
import ProviderKit

// Sign-ins in a browser: the app gets its answer by way of the target, or by a code that it exchanges.
extension ProviderSignIn {
  /// Ends a sign-in with a proven identity.
  ///
  /// - Parameter end: in the app of the attempt.
  /// - Returns: where the browser goes.
  func target(
    of identity: VerifiedIdentity, _ end: WebReturn, in attempt: SignInAttempt
  ) async throws(Refusal) -> String {
    if end.isLinking { return try await linkingTarget(of: identity, end, in: attempt) }
    let signIn = try await account(of: identity, in: attempt)
    guard let challenge = end.challenge else {
      return end.target.bringing(
        try await answering(attempt) {
          try await session(
            signIn.profile, app: end.app, isNewAccount: signIn.isNewAccount, begunAt: attempt.begunAt, attempt.log)
        })
    }
    let grant = SignInCodes.Grant(
      app: end.app.configuration.appID, user: signIn.profile.account.id, provider: attempt.plugin.name,
      isNewAccount: signIn.isNewAccount, isLinking: false)
    return end.target.bringing(
      code: try await answering(attempt) { try await codes.issue(grant, for: challenge) })
  }

  private func linkingTarget(
    of identity: VerifiedIdentity, _ end: WebReturn, in attempt: SignInAttempt
  ) async throws(Refusal) -> String {
    let profile = try await answering(attempt) {
      try await accounts.linkingProfile(of: attempt.verified(identity))
    }
    if identity.followUp != nil { jobs.wake() }
    return try await answering(attempt) {
      guard let challenge = end.challenge else {
        return end.target.bringing(try await sessions.beginLinking(profile, in: end.app.configuration))
      }
      let grant = SignInCodes.Grant(
        app: end.app.configuration.appID, user: profile.account.id, provider: attempt.plugin.name,
        isNewAccount: false, isLinking: true)
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
    } catch {
      throw Refusal(error, "a code could not be exchanged", .text("requestId", request.requestID), in: logger)
    }
  }
}
