import GatewayBase
import GatewayStore

extension IdentitySchema {
  /// Grants of providers, work at providers that waits, and who did what.
  @Sendable static func lifeCycle(_ dialect: Dialect) -> [String] {
    let (integer, id) = (dialect.integer, dialect.text(64))
    let client = dialect.text(ProviderGrantRow.clientBytes)
    return [
      // The plugin and the client id of the last sign-in, and its time.
      dialect.addColumn("provider", id, to: "identities"),
      dialect.addColumn("client", client, to: "identities"),
      dialect.addColumn("signed_in_at", "\(integer) NOT NULL DEFAULT 0", to: "identities"),
      // When the provider last told of the relay address, and whether it takes no mail.
      dialect.addColumn("noticed_at", "\(integer) NOT NULL DEFAULT 0", to: "identities"),
      dialect.addColumn("email_disabled", "\(integer) NOT NULL DEFAULT 0", to: "identities"),
      // Under which the user is known while the app moves to another team.
      dialect.addColumn("transfer_subject", dialect.text(VerifiedSignIn.subjectBytes), to: "identities"),
      dialect.addColumn("transfer_until", integer, to: "identities"),
      "CREATE INDEX IF NOT EXISTS identities_transfer ON identities (app, transfer_subject)",
      "UPDATE identities SET signed_in_at = created_at WHERE signed_in_at = 0",
      // `job`: the number of the work that brought it, by which the later of two is known.
      """
      CREATE TABLE IF NOT EXISTS grants (
        id \(dialect.sequence),
        user_id \(id) NOT NULL,
        app \(integer) NOT NULL,
        provider \(id) NOT NULL,
        client \(client) NOT NULL,
        sealed \(dialect.bytes(ProviderGrantRow.sealedBytes)) NOT NULL,
        job \(integer) NOT NULL,
        acquired_at \(integer) NOT NULL,
        checked_at \(integer) NOT NULL,
        UNIQUE (user_id, app, provider, client))
      """,
      "CREATE INDEX IF NOT EXISTS grants_checked ON grants (checked_at)",
      // A row knows the account by its own id alone. `priority` 0 goes first.
      """
      CREATE TABLE IF NOT EXISTS provider_jobs (
        id \(dialect.sequence),
        priority \(integer) NOT NULL,
        kind \(id) NOT NULL,
        provider \(id) NOT NULL,
        app \(integer) NOT NULL,
        user_id \(id) NOT NULL,
        client \(client) NOT NULL,
        sealed \(dialect.bytes(ProviderGrantRow.sealedBytes)) NOT NULL,
        attempts \(integer) NOT NULL,
        created_at \(integer) NOT NULL,
        due_at \(integer) NOT NULL,
        reason \(dialect.text(200)))
      """,
      "CREATE INDEX IF NOT EXISTS provider_jobs_due ON provider_jobs (priority, due_at)",
      "CREATE INDEX IF NOT EXISTS provider_jobs_user ON provider_jobs (user_id)",
      // Digests alone. `jti`: the access token that was given out with it.
      """
      CREATE TABLE IF NOT EXISTS refresh_tokens (
        digest \(dialect.bytes(32)) NOT NULL PRIMARY KEY,
        family \(id) NOT NULL,
        user_id \(id) NOT NULL,
        app \(integer) NOT NULL,
        jti \(id) NOT NULL,
        jti_expires_at \(integer) NOT NULL,
        used_at \(integer),
        expires_at \(integer) NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS refresh_tokens_family ON refresh_tokens (family)",
      "CREATE INDEX IF NOT EXISTS refresh_tokens_user ON refresh_tokens (user_id)",
      "CREATE INDEX IF NOT EXISTS refresh_tokens_jti ON refresh_tokens (jti)",
      "CREATE INDEX IF NOT EXISTS refresh_tokens_expiry ON refresh_tokens (expires_at)",
      // Digests of `state` and of the browser's cookie.
      """
      CREATE TABLE IF NOT EXISTS web_flows (
        state \(dialect.bytes(32)) NOT NULL PRIMARY KEY,
        app \(integer) NOT NULL,
        provider \(id) NOT NULL,
        nonce \(id) NOT NULL,
        redirect \(dialect.text(Limits.url)) NOT NULL,
        callback \(dialect.text(Limits.url)) NOT NULL,
        browser \(dialect.bytes(32)) NOT NULL,
        expires_at \(integer) NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS web_flows_expiry ON web_flows (expires_at)",
      // No token and no address of mail is in any row.
      """
      CREATE TABLE IF NOT EXISTS audit (
        seq \(dialect.sequence),
        at \(integer) NOT NULL,
        act \(id) NOT NULL,
        app \(integer) NOT NULL,
        user_id \(id) NOT NULL,
        actor \(id) NOT NULL,
        address \(id),
        request_id \(dialect.text(128)),
        detail \(dialect.text(200)))
      """,
      "CREATE INDEX IF NOT EXISTS audit_user ON audit (user_id, seq)",
    ]
  }
}
