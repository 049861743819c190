import GatewayStore

/// The credentials that were accepted and have not expired, of all nodes.
enum ReplayLedger {
  static func holds(_ key: ReplayKey, on connection: any Connection) throws(StoreError) -> Bool {
    try connection.first("SELECT 1 FROM burnt_credentials WHERE digest = ?", [.blob(key.digest)]) != nil
  }

  /// - Throws: `SignInFailure.replayed` where another sign-in burnt it meanwhile.
  static func burn(_ key: ReplayKey, on connection: any Connection) throws {
    do throws(StoreError) {
      try connection.run(
        "INSERT INTO burnt_credentials (digest, expires_at) VALUES (?, ?)",
        [.blob(key.digest), .integer(key.expiresAt.milliseconds)])
    } catch .uniqueViolation {
      throw SignInFailure.replayed
    }
  }
}
