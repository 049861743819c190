import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayIdentity
import GatewayProxy

/// Calls of a signed-in user: the profile and the end of a session.
struct SessionAPI: Sendable {
  let gate: TokenGate
  let pool: BlockingPool
  let accounts: Accounts
  let revocations: Revocations
  let issuer: SessionIssuer
  let limit: SignInLimit
  let clock: any WallClock
  let logger: Logger

  func me(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    let bearer = try await bearer(of: request)
    // A session of an app that is gone is none; it may still be signed out.
    guard directory.apps[bearer.appID] != nil else { throw .invalidToken }
    do {
      guard let found = try await accounts.profileWithBalance(user: bearer.userID, app: bearer.appID) else {
        throw Refusal.invalidToken
      }
      return .json(200, found.profile.meBody(expiresAt: bearer.expiresAt, balance: found.balance))
    } catch {
      throw refusal(for: error, request)
    }
  }

  func signOut(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    let bearer = try await bearer(of: request)
    do {
      let origin = request.auditOrigin
      try await revocations.revoke(
        Revocation(.token(jti: bearer.tokenID), expiresAt: bearer.expiresAt),
        noting: AuditEntry(.signOut, app: bearer.appID, user: bearer.userID, by: .user, from: origin))
      if directory.apps[bearer.appID]?.configuration.sessions.refresh ?? true {
        try await issuer.refreshTokens.end(companionOf: bearer.tokenID)
      }
      return ServiceResponse(204)
    } catch {
      throw refusal(for: error, request)
    }
  }

  /// A new pair of tokens for a refresh token, which is used up by it.
  func refresh(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    if let refusal = limit.refusal(of: request) { return refusal }
    guard let text = (try? JSONValue(parsing: request.body))?["refreshToken"]?.string else {
      throw .invalidRequest("Send refreshToken, a string.")
    }
    do {
      guard let owner = try await issuer.refreshTokens.owner(of: text), let app = directory.apps[owner.app],
        app.configuration.sessions.refresh,
        let profile = try await accounts.profile(user: owner.user, app: owner.app),
        let body = try await issuer.renew(profile, in: app.configuration, refreshToken: text)
      else { throw Refusal.invalidRefreshToken }
      return .json(200, body)
    } catch {
      throw refusal(for: error, request)
    }
  }

  /// Who asks.
  func bearer(of request: ServiceRequest) async throws(Refusal) -> Admission {
    if let query = request.query, QueryInspection.holdsAccessToken(Array(query.utf8).span) { throw .tokenInURL }
    let (token, now) = (try request.bearerToken(), clock.now)
    do {
      guard let admission = try await pool.run({ [gate] in gate.admit(token, now: now) }),
        case .good(let isLocalUser) = gate.standing(of: admission)
      else { throw Refusal.invalidToken }
      return admission.with(isLocalUser: isLocalUser)
    } catch {
      throw error as? Refusal ?? .overloaded
    }
  }

  func refusal(for error: any Error, _ request: ServiceRequest) -> Refusal {
    Refusal(
      error, "a platform call failed", .text("path", request.path), .text("requestId", request.requestID), in: logger)
  }
}
