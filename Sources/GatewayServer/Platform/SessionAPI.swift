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
  let clock: any WallClock
  let logger: Logger

  func me(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    let bearer = try await bearer(of: request)
    // A session of an app that is gone is none; it may still be signed out.
    guard directory.apps[bearer.appID] != nil else { throw .invalidToken }
    do {
      guard let profile = try await accounts.profile(user: bearer.userID, app: bearer.appID) else {
        throw Refusal.invalidToken
      }
      return .json(200, profile.meBody(expiresAt: bearer.expiresAt, balance: 0))
    } catch {
      throw refusal(for: error, request)
    }
  }

  func signOut(_ request: ServiceRequest) async throws(Refusal) -> ServiceResponse {
    let bearer = try await bearer(of: request)
    do {
      try await revocations.revoke(Revocation(.token(jti: bearer.tokenID), expiresAt: bearer.expiresAt))
      return ServiceResponse(204)
    } catch {
      throw refusal(for: error, request)
    }
  }

  /// Who asks.
  func bearer(of request: ServiceRequest) async throws(Refusal) -> Admission {
    if let query = request.query, QueryInspection.holdsAccessToken(Array(query.utf8).span) { throw .tokenInURL }
    let (token, now) = (try request.bearerToken(), clock.now)
    do {
      guard let admission = try await pool.run({ [gate] in gate.admit(token, now: now) }), !gate.isRevoked(admission)
      else { throw Refusal.invalidToken }
      return admission
    } catch {
      throw error as? Refusal ?? .overloaded
    }
  }

  func refusal(for error: any Error, _ request: ServiceRequest) -> Refusal {
    if let refusal = error as? Refusal { return refusal }
    logger.error(
      "a platform call failed", .text("reason", "\(error)"), .text("path", request.path),
      .text("requestId", request.requestID))
    return .internalError
  }
}
