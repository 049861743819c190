import GatewayBase
import GatewayStore

extension IdentitySchema {
  /// What providers keep about their own people, sealed; only the keys are in the clear.
  @Sendable static func records(_ dialect: Dialect) -> [String] {
    let integer = dialect.integer
    return [
      """
      CREATE TABLE IF NOT EXISTS provider_records (
        provider \(dialect.text(64)) NOT NULL,
        record_key \(dialect.text(Limits.recordKey)) NOT NULL,
        value \(dialect.bytes(Limits.record + SealingKeys.overhead)) NOT NULL,
        version \(integer) NOT NULL,
        expires_at \(integer),
        PRIMARY KEY (provider, record_key))
      """,
      "CREATE INDEX IF NOT EXISTS provider_records_expiry ON provider_records (expires_at)",
    ]
  }
}
