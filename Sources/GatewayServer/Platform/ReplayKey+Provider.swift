import GatewayBase
import GatewayCrypto
import GatewayIdentity
import ProviderKit

extension GatewayIdentity.ReplayKey {
  /// A provider's key. It is digested again: the ledger's keys have one length, whatever a plugin returns.
  init(_ key: ProviderKit.ReplayKey) {
    self.init(digest: Digest.sha256(key.digest), expiresAt: UnixTime(milliseconds: key.expiresAt))
  }
}
