import GatewayStore

/// The tables of accounts, sign-ins and revocations.
package enum IdentitySchema {
  /// What the store of accounts is opened with.
  package static let migrations = [
    Migration(version: 1, statements: first), Migration(version: 2, statements: lifeCycle),
    Migration(version: 3, statements: claims), Migration(version: 4, statements: auditTime),
    Migration(version: 5, statements: linking), Migration(version: 6, statements: codes),
    Migration(version: 7, statements: records), Migration(version: 8, statements: relay),
  ]

  /// By which old entries of the audit are found.
  @Sendable private static func auditTime(_ dialect: Dialect) -> [String] {
    ["CREATE INDEX IF NOT EXISTS audit_time ON audit (at)"]
  }

  /// Times are milliseconds since 1970. `users.app` is NULL for regular accounts, which are no app's own.
  @Sendable private static func first(_ dialect: Dialect) -> [String] {
    let (integer, id) = (dialect.integer, dialect.text(64))
    return [
      // `verified_email` is a regular account's verified address in lower case, and NULL in all other rows.
      """
      CREATE TABLE IF NOT EXISTS users (
        id \(id) NOT NULL PRIMARY KEY,
        app \(integer),
        name \(dialect.text(DisplayName.bytes)),
        email \(dialect.text(EmailAddress.bytes)),
        email_verified \(integer) NOT NULL,
        is_private_email \(integer) NOT NULL,
        verified_email \(dialect.text(EmailAddress.bytes)),
        photo \(dialect.text(PictureURL.bytes)),
        created_at \(integer) NOT NULL,
        UNIQUE (verified_email))
      """,
      // `team` is '' where the app has none, as NULLs are never equal in a unique index.
      """
      CREATE TABLE IF NOT EXISTS identities (
        app \(integer) NOT NULL,
        team \(id) NOT NULL,
        issuer \(id) NOT NULL,
        subject \(dialect.text(VerifiedSignIn.subjectBytes)) NOT NULL,
        user_id \(id) NOT NULL,
        created_at \(integer) NOT NULL,
        PRIMARY KEY (app, team, issuer, subject))
      """,
      "CREATE INDEX IF NOT EXISTS identities_user ON identities (user_id)",
      """
      CREATE TABLE IF NOT EXISTS burnt_credentials (
        digest \(dialect.bytes(ReplayKey.bytes)) NOT NULL PRIMARY KEY,
        expires_at \(integer) NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS burnt_credentials_expiry ON burnt_credentials (expires_at)",
      // Either `jti` is there, or `app`, `user_id` and `issued_until`.
      """
      CREATE TABLE IF NOT EXISTS revocations (
        seq \(dialect.sequence),
        jti \(dialect.text(64)),
        app \(integer),
        user_id \(id),
        issued_until \(integer),
        expires_at \(integer) NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS revocations_expiry ON revocations (expires_at)",
    ]
  }
}
