import GatewayBase
import GatewayIdentity
import GatewayStore

extension Settings {
  /// Whether the store knows that a token was revoked. It is neither made nor migrated for that.
  func revocation(of token: AccessToken) async -> TokenReport.Revocation {
    do {
      let known = try await knownRevocations()
      if known.isRevoked(jti: token.id, user: token.userID, app: token.appID, issuedAt: token.issuedAt) {
        return .revoked
      }
      return known.couldAdmit(token, now: SystemClock().now) ? .none : .unused
    } catch {
      return .unknown("\(error)")
    }
  }

  /// The revocations that the store knows; none where there is no store yet. It is neither made nor migrated for that.
  ///
  /// - Throws: `CommandFailure` where its schema is another release's.
  func knownRevocations() async throws -> RevocationSet {
    let store = try store()
    guard let state = try await store.inspect(), state.version > 0 else { return RevocationSet() }
    guard state.version == state.known else {
      throw CommandFailure(
        "the store's schema has version \(state.version), this release works on \(state.known)")
    }
    let revocations = Revocations(store: store, clock: SystemClock(), logger: .quiet)
    try await revocations.poll()
    return revocations.known
  }

  /// Ends tokens on all nodes.
  func revoke(_ revocation: Revocation) async throws {
    let store = try store()
    // Before the write, whose error tells less.
    try await store.migrate()
    do {
      try await Revocations(store: store, clock: SystemClock(), logger: .quiet)
        .revoke(revocation, noting: revocation.scope.audit)
    } catch let refusal as Refusal {
      throw CommandFailure("nothing was revoked: \(refusal.message)")
    }
  }
}

extension Revocation.Scope {
  /// The trace of its end by the command. Whose a token is its id does not say.
  fileprivate var audit: AuditEntry {
    switch self {
    case .token(let id): AuditEntry(.revoke, app: 0, user: "", by: .admin, detail: "token \(id)")
    case .user(let user, let app, _): AuditEntry(.sessionsEnded, app: app, user: user, by: .admin)
    }
  }
}
