import GatewayBase
import GatewayStore

extension Accounts {
  /// Acts on what a provider's own service tells, once and in the order of time.
  ///
  /// - Returns: what it has led to; nothing for a repeat, for unknown users and for what is older than their last
  ///   sign-in.
  /// - Throws: `Refusal.storeUnavailable`; then nothing was done, and the sender may repeat it.
  package func apply(
    _ notice: VerifiedNotice, from origin: AuditEntry.Origin
  ) async throws -> [VerifiedNotice.Effect] {
    let transaction = NoticeTransaction(notice: notice, now: clock.now, origin: origin)
    let outcome = try await logger.refusing { try await store.write { try transaction.run(on: $0) } }
    known.add(outcome.revocations)
    return outcome.effects
  }
}
