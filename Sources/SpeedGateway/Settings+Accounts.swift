import GatewayBase
import GatewayIdentity

extension Settings {
  /// The accounts of the store, for a command. What it ends, running gateways learn within two seconds.
  func accounts() async throws -> Accounts {
    let store = try store()
    try await store.migrate()
    return Accounts(
      store: store, keys: try SealingKeys(folder: configuration.sealingKeys), revocations: RevocationSet(),
      clock: SystemClock(), logger: .quiet, appUserUUID: AppUserUUID.text)
  }
}
