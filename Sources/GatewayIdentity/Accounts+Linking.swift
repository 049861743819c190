import GatewayBase
import GatewayStore

extension Accounts {
  /// Links an app-local account with a regular one, as one step: here its tokens say so at once, on other nodes within two
  /// seconds.
  ///
  /// - Returns: the account that the app-local one's identity reaches from now on.
  /// - Throws: `LinkFailure`, and nothing has changed; `Refusal.storeUnavailable`.
  package func link(_ request: LinkRequest) async throws -> Profile {
    let transaction = LinkTransaction(request: request, now: clock.now, keys: keys, appUserUUID: appUserUUID)
    let outcome = try await logger.refusing { try await store.write { try transaction.run(on: $0) } }
    known.add(outcome.changes)
    return profile(outcome.account, backedBy: outcome.backing, app: request.app)
  }

  /// Ends the link of an app-local account, which keeps its data.
  ///
  /// - Throws: `LinkFailure.notLinked`; `Refusal.storeUnavailable`.
  package func unlink(user: String, app: Int64, from origin: AuditEntry.Origin) async throws {
    let transaction = UnlinkTransaction(user: user, app: app, now: clock.now, origin: origin)
    known.add(try await logger.refusing { try await store.write { try transaction.run(on: $0) } })
  }
}
