import GatewayBase
import GatewayCrypto
import GatewayStore

/// Codes that a browser brings to an app in place of a sign-in's answer: random, good once and for a minute, on any node,
/// and for the app that has the verifier of the challenge alone. The store has digests of them.
package struct SignInCodes: Sendable {
  /// What a code stands for.
  package struct Grant: Sendable, Equatable {
    package let app: Int64
    package let user: String
    /// The plugin that has proven who it is.
    package let provider: String
    /// Whether the sign-in made the account.
    package let isNewAccount: Bool
    /// Whether it gives a token that is good for linking alone.
    package let isLinking: Bool

    package init(app: Int64, user: String, provider: String, isNewAccount: Bool, isLinking: Bool) {
      self.app = app
      self.user = user
      self.provider = provider
      self.isNewAccount = isNewAccount
      self.isLinking = isLinking
    }
  }

  private let store: any Store
  private let clock: any WallClock
  private let logger: Logger

  package init(store: any Store, clock: any WallClock, logger: Logger) {
    self.store = store
    self.clock = clock
    self.logger = logger
  }

  /// Makes a code.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func issue(_ grant: Grant, for challenge: CodeChallenge) async throws -> String {
    let (code, expiresAt) = (WebFlows.newSecret(), clock.now.adding(seconds: Limits.signInCode))
    try await logger.refusing {
      try await store.write { connection in
        try connection.run(
          """
          INSERT INTO sign_in_codes (code, app, user_id, provider, is_new, is_link, challenge, expires_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
          [
            .blob(Self.digest(code)), .integer(grant.app), .text(grant.user), .text(grant.provider),
            .flag(grant.isNewAccount), .flag(grant.isLinking), .blob(challenge.digest),
            .integer(expiresAt.milliseconds),
          ])
      }
    }
    return code
  }

  /// Uses a code up, also where the verifier is not the one: whoever has caught a code can't try verifiers.
  ///
  /// - Returns: nil for a code that is unknown, old or used, and for a wrong verifier.
  /// - Throws: `Refusal.storeUnavailable`.
  package func redeem(_ code: String, verifier: String) async throws -> Grant? {
    let (digest, now) = (Self.digest(code), clock.now)
    return try await logger.refusing {
      try await store.write { connection in
        let row = try connection.first(
          """
          SELECT app, user_id, provider, is_new, is_link, challenge, expires_at FROM sign_in_codes
          WHERE code = ?\(connection.dialect.forUpdate)
          """, [.blob(digest)])
        guard let row, try connection.run("DELETE FROM sign_in_codes WHERE code = ?", [.blob(digest)]) == 1,
          try row.integer(6) > now.milliseconds, CodeChallenge(digest: try row.blob(5)).isMet(by: verifier)
        else { return nil }
        return Grant(
          app: try row.integer(0), user: try row.text(1), provider: try row.text(2), isNewAccount: try row.flag(3),
          isLinking: try row.flag(4))
      }
    }
  }

  /// Ends the codes of a user, who then must sign in again.
  ///
  /// - Parameter app: where alone; nil everywhere.
  static func end(user: String, app: Int64? = nil, on connection: any Connection) throws(StoreError) {
    let place: [SQLValue] = app.map { [.integer($0)] } ?? []
    try connection.run(
      "DELETE FROM sign_in_codes WHERE user_id = ?\(app == nil ? "" : " AND app = ?")", [.text(user)] + place)
  }

  /// Ends those that stand for sessions; those for linking stay.
  static func endSessions(user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run(
      "DELETE FROM sign_in_codes WHERE user_id = ? AND app = ? AND is_link = 0", [.text(user), .integer(app)])
  }

  private static func digest(_ code: String) -> [UInt8] { Digest.sha256(Array("code:\(code)".utf8)) }
}
