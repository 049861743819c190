import GatewayStore

extension IdentitySchema {
  /// Regular accounts in apps, the app-local accounts that they back, and app-local balances.
  @Sendable static func linking(_ dialect: Dialect) -> [String] {
    let (integer, id) = (dialect.integer, dialect.text(64))
    return [
      // How often an app-local account was linked and unlinked, all in all: odd while it is linked.
      dialect.addColumn("link_changes", "\(integer) NOT NULL DEFAULT 0", to: "users"),
      // 1 where `app_user_uuids` has the account; accounts from before that table get their rows when one is looked for.
      dialect.addColumn("uuid_known", "\(integer) NOT NULL DEFAULT 0", to: "users"),
      "CREATE INDEX IF NOT EXISTS users_uuid_known ON users (app, uuid_known)",
      // When a regular account's tokens in all apps were ended last.
      dialect.addColumn("sessions_ended_at", "\(integer) NOT NULL DEFAULT 0", to: "users"),
      // In rows that tell of `users.link_changes`: then `issued_until` is 0, and older releases see nothing that ends.
      dialect.addColumn("link_changes", integer, to: "revocations"),
      // The apps that a regular account has signed in to.
      """
      CREATE TABLE IF NOT EXISTS memberships (
        user_id \(id) NOT NULL,
        app \(integer) NOT NULL,
        created_at \(integer) NOT NULL,
        signed_in_at \(integer) NOT NULL,
        PRIMARY KEY (user_id, app))
      """,
      """
      CREATE TABLE IF NOT EXISTS links (
        app \(integer) NOT NULL,
        local_user \(id) NOT NULL,
        speed_user \(id) NOT NULL,
        created_at \(integer) NOT NULL,
        PRIMARY KEY (app, local_user),
        UNIQUE (app, speed_user))
      """,
      "CREATE INDEX IF NOT EXISTS links_speed_user ON links (speed_user)",
      // By which accounts are found under their `appUserUUID`. That of an account which became part of another leads there.
      """
      CREATE TABLE IF NOT EXISTS app_user_uuids (
        app \(integer) NOT NULL,
        uuid \(id) NOT NULL,
        user_id \(id) NOT NULL,
        PRIMARY KEY (app, uuid))
      """,
      "CREATE INDEX IF NOT EXISTS app_user_uuids_user ON app_user_uuids (user_id, app)",
      """
      CREATE TABLE IF NOT EXISTS balances (
        app \(integer) NOT NULL,
        user_id \(id) NOT NULL,
        amount \(integer) NOT NULL,
        PRIMARY KEY (app, user_id))
      """,
      """
      CREATE TABLE IF NOT EXISTS balance_entries (
        seq \(dialect.sequence),
        app \(integer) NOT NULL,
        user_id \(id) NOT NULL,
        amount \(integer) NOT NULL,
        reason \(id) NOT NULL,
        idempotency_key \(dialect.text(BalanceAdjustment.keyCharacters)) NOT NULL,
        reference \(dialect.text(BalanceAdjustment.referenceCharacters)),
        balance_after \(integer) NOT NULL,
        created_at \(integer) NOT NULL,
        UNIQUE (app, idempotency_key))
      """,
      "CREATE INDEX IF NOT EXISTS balance_entries_user ON balance_entries (app, user_id, seq)",
    ]
  }
}
