import GatewayBase
import GatewayIdentity
import GatewayProxy

/// Judges bearer tokens for the proxy and the platform API: the one place where a token becomes an admission.
struct TokenGate: TokenAuthority {
  let verifier: AccessTokenVerifier
  let assertions: AssertionIssuer
  let revocations: RevocationSet
  let tickets: Tickets
  let logger: Logger

  func admit(_ token: [UInt8], now: UnixTime) -> Admission? {
    switch verifier.verify(token, app: nil, now: now) {
    case .failure(let reason):
      logger.debug("a bearer token was refused", .text("reason", reason.description))
      return nil
    case .success(let token):
      guard tickets.admit(token, now: now) else {
        logger.debug("a bearer token was refused", .text("reason", "it is a ticket that was not used in time"))
        return nil
      }
      return revocations.admission(token)
    }
  }

  func assertion(for admission: Admission, now: UnixTime) -> BackendAssertion? {
    guard verifier.takes(keyID: admission.keyID) else { return nil }
    do {
      let assertion = try assertions.issue(for: admission.user, now: now)
      return BackendAssertion(text: String(decoding: assertion.bytes, as: UTF8.self), goodUntil: assertion.renewAt)
    } catch {
      logger.error("an assertion could not be signed", .text("reason", "\(error)"))
      return nil
    }
  }

  var revocationVersion: UInt64 { revocations.version }

  func standing(of admission: Admission) -> TokenStanding { revocations.standing(of: admission) }
}

extension Admission {
  /// What a good token admits to.
  init(_ token: AccessToken) {
    self.init(
      appID: token.appID, userID: token.userID, appUserUUID: token.uuid, role: token.role, isLocalUser: token.isLocal,
      tokenID: token.id, issuedAt: token.issuedAt, expiresAt: token.expiresAt, keyID: token.keyID)
  }

  fileprivate var user: AssertionIssuer.User {
    AssertionIssuer.User(id: userID, appID: appID, role: role, isLocal: isLocalUser, uuid: appUserUUID)
  }
}

extension RevocationSet {
  /// What a good token admits to, its account as it is now, so that the first assertion says so. Whether it was ended is
  /// asked later.
  func admission(_ token: AccessToken) -> Admission {
    let admission = Admission(token)
    guard case .good(let isLocalUser) = standing(of: admission) else { return admission }
    return admission.with(isLocalUser: isLocalUser)
  }

  func standing(of admission: Admission) -> TokenStanding {
    let known = standing(
      jti: admission.tokenID, user: admission.userID, app: admission.appID, issuedAt: admission.issuedAt)
    return known.isRevoked ? .ended : .good(isLocalUser: known.isLinked.map { !$0 } ?? admission.isLocalUser)
  }
}
