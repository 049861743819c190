import GatewayIdentity
import GatewayOutbound

/// What a gateway that serves has for its providers beyond calls and signatures; a command has none of it.
struct ProviderMeans: Sendable {
  let accounts: Accounts
  let records: ProviderRecords
  let passwords: PasswordWork
  /// Nil where no relay is configured.
  let mailer: Mailer?
}
