import GatewayConfig

// What the store knows of claims, and files did not.
extension TenantFiles {
  /// Claims that files wait for because of apps that are not loaded here.
  var awaited: [TenantClaim: Int64] { work.withLock { $0.set.awaited } }

  /// Whether a file here names this app, used or not.
  func isNamed(app: Int64) -> Bool { work.withLock { $0.set.isNamed(app: app) } }

  /// Learns who had claims first.
  func learn(_ facts: [(claim: TenantClaim, app: Int64, file: String)]) {
    guard !facts.isEmpty else { return }
    work.withLock { work in
      settle(facts.map { work.set.learn($0.claim, app: $0.app, file: $0.file) }, [], &work)
    }
  }

  /// Learns that claims are nobody's any more.
  func forget(_ claims: [TenantClaim]) {
    guard !claims.isEmpty else { return }
    work.withLock { work in settle(claims.map { work.set.forget($0) }, [], &work) }
  }
}
