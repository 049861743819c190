import GatewayStore

extension IdentitySchema {
  /// Codes that stand for the answer of a sign-in, and what a sign-in elsewhere is to end in.
  @Sendable static func codes(_ dialect: Dialect) -> [String] {
    let (integer, id) = (dialect.integer, dialect.text(64))
    return [
      // Digests of the code and of its verifier.
      """
      CREATE TABLE IF NOT EXISTS sign_in_codes (
        code \(dialect.bytes(32)) NOT NULL PRIMARY KEY,
        app \(integer) NOT NULL,
        user_id \(id) NOT NULL,
        provider \(id) NOT NULL,
        is_new \(integer) NOT NULL,
        is_link \(integer) NOT NULL,
        challenge \(dialect.bytes(32)) NOT NULL,
        expires_at \(integer) NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS sign_in_codes_expiry ON sign_in_codes (expires_at)",
      dialect.addColumn("challenge", dialect.bytes(32), to: "web_flows"),
    ]
  }
}
