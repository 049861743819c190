import GatewayStore

extension IdentitySchema {
  /// Which app had a domain, a bundle ID, a scheme, a server key first, and which file an app ID; and the nodes that are
  /// at work, which tell what an absent app means.
  @Sendable static func claims(_ dialect: Dialect) -> [String] {
    let (integer, id) = (dialect.integer, dialect.text(64))
    return [
      // `kind` as `TenantClaim.Kind` numbers it. `node` is the one that saw the app's file last, in rows of app IDs.
      """
      CREATE TABLE IF NOT EXISTS tenant_claims (
        kind \(integer) NOT NULL,
        value \(dialect.text(255)) NOT NULL,
        app \(integer) NOT NULL,
        file \(dialect.text(1024)) NOT NULL,
        node \(id) NOT NULL,
        since \(integer) NOT NULL,
        PRIMARY KEY (kind, value))
      """,
      """
      CREATE TABLE IF NOT EXISTS gateway_nodes (
        node \(id) NOT NULL PRIMARY KEY,
        seen_at \(integer) NOT NULL)
      """,
    ]
  }
}
