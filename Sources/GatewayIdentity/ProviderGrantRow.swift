import GatewayBase
import GatewayStore

/// A grant of a provider that the gateway keeps for an account of an app.
struct ProviderGrantRow: Sendable {
  /// Bytes of a client id at a provider.
  static let clientBytes = 255
  /// Bytes of a sealed secret.
  static let sealedBytes = Limits.providerSecret + SealingKeys.overhead

  let id: Int64
  let sealed: [UInt8]
  /// The number of the work that brought it.
  let job: Int64

  /// The grant that a later one of the same client replaces.
  static func find(
    user: String, app: Int64, provider: String, client: String, on connection: any Connection
  ) throws(StoreError) -> ProviderGrantRow? {
    let row = try connection.first(
      "SELECT id, sealed, job FROM grants WHERE user_id = ? AND app = ? AND provider = ? AND client = ?",
      [.text(user), .integer(app), .text(provider), .text(client)])
    guard let row else { return nil }
    return ProviderGrantRow(id: try row.integer(0), sealed: try row.blob(1), job: try row.integer(2))
  }
}
