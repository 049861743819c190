import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayProxy

/// Links an app's own account with the regular account of the same person, and takes them apart again.
struct LinkAPI: Sendable {
  let sessions: SessionAPI

  /// What a request to link says, beside who asks.
  private struct Wish {
    let speedToken: String?
    let keep: LinkRequest.Choice?

    init(_ body: JSONValue) throws(Refusal) {
      switch body["keep"] {
      case nil, .null: keep = nil
      case let value?:
        guard let choice = value.string.flatMap(LinkRequest.Choice.init) else {
          throw .invalidRequest("keep is \"speed\" or \"local\".")
        }
        keep = choice
      }
      speedToken = body["speedToken"]?.string
    }
  }

  func link(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    let bearer = try await sessions.bearer(of: request)
    guard let app = directory.apps[bearer.appID] else { throw .invalidToken }
    let wish = try Wish(try request.jsonObject())
    guard bearer.isLocalUser else { throw .notLinkable }
    let speedToken = try await speedToken(wish.speedToken, for: bearer.appID)
    do {
      let profile = try await sessions.accounts.link(
        LinkRequest(
          user: bearer.userID, app: bearer.appID, speedToken: speedToken, keep: wish.keep,
          origin: request.auditOrigin))
      sessions.logger.info(
        "accounts were linked", .text("user", bearer.userID), .integer("app", bearer.appID),
        .text("requestId", request.requestID))
      guard profile.account.id == bearer.userID else {
        return .json(
          200,
          try await sessions.issuer.begin(
            profile, in: app.configuration, isNewAccount: false, previousUserID: bearer.userID))
      }
      let sent = String(decoding: try request.bearerToken(), as: UTF8.self)
      return .json(200, profile.signInBody(token: sent, expiresAt: bearer.expiresAt, isNewAccount: false))
    } catch let failure as LinkFailure {
      throw Refusal(failure)
    } catch {
      throw sessions.refusal(for: error, request)
    }
  }

  func unlink(_ request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse {
    let bearer = try await sessions.bearer(of: request)
    guard directory.apps[bearer.appID] != nil else { throw .invalidToken }
    do {
      try await sessions.accounts.unlink(
        user: bearer.userID, app: bearer.appID,
        from: request.auditOrigin)
      sessions.logger.info(
        "accounts were unlinked", .text("user", bearer.userID), .integer("app", bearer.appID),
        .text("requestId", request.requestID))
      guard let profile = try await sessions.accounts.profile(user: bearer.userID, app: bearer.appID) else {
        throw Refusal.invalidToken
      }
      return .json(200, profile.body(expiresAt: bearer.expiresAt))
    } catch let failure as LinkFailure {
      throw Refusal(failure)
    } catch {
      throw sessions.refusal(for: error, request)
    }
  }

  /// The token that proves who has the regular account: one for linking, or a session's.
  private func speedToken(_ text: String?, for app: Int64) async throws(Refusal) -> AccessToken {
    guard let text else { throw .invalidSpeedToken }
    let (verifier, now) = (sessions.gate.verifier, sessions.clock.now)
    let verdict: Result<AccessToken, AccessTokenVerifier.Rejection>
    do {
      verdict = try await sessions.pool.run {
        verifier.verify(Array(text.utf8), app: app, now: now, for: AccessToken.Purpose.allCases)
      }
    } catch {
      throw .overloaded
    }
    guard case .success(let token) = verdict, !token.isLocal,
      !sessions.gate.revocations.isRevoked(
        jti: token.id, user: token.userID, app: token.appID, issuedAt: token.issuedAt),
      sessions.gate.tickets.admit(token, now: now)
    else { throw .invalidSpeedToken }
    return token
  }
}

extension Refusal {
  fileprivate init(_ failure: LinkFailure) {
    self =
      switch failure {
      case .notLinkable: .notLinkable
      case .invalidSpeedToken: .invalidSpeedToken
      case .appDataConflict: .appDataConflict
      case .speedAccountInUse: .speedAccountInUse
      case .notLinked: .notLinked
      }
  }
}
