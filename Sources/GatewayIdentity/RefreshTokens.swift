import GatewayBase
import GatewayCrypto
import GatewayStore

/// Refresh tokens that rotate: each is good once and brings its successor (RFC 9700 section 4.14.2). A second use of one
/// means that two parties hold it, and ends all of its family.
package struct RefreshTokens: Sendable {
  /// An access token that a refresh token was given out with.
  package struct Companion: Sendable {
    let tokenID: String
    let expiresAt: UnixTime

    package init(_ token: AccessToken) {
      tokenID = token.id
      expiresAt = token.expiresAt
    }
  }

  /// Whose a refresh token is.
  package struct Owner: Sendable, Equatable {
    package let user: String
    package let app: Int64

    package init(user: String, app: Int64) {
      self.user = user
      self.app = app
    }
  }

  private let store: any Store
  private let known: RevocationSet
  private let clock: any WallClock
  private let logger: Logger

  /// - Parameter revocations: where the end of a family's access tokens becomes known at once.
  package init(store: any Store, revocations: RevocationSet, clock: any WallClock, logger: Logger) {
    self.store = store
    known = revocations
    self.clock = clock
    self.logger = logger
  }

  /// Begins a family with the tokens of a sign-in.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func begin(_ owner: Owner, with companion: Companion) async throws -> String {
    var generator = SystemRandomNumberGenerator()
    let (text, family, now) = (Self.newToken(), Hex.encode(generator.bytes(16)), clock.now)
    try await logger.refusing {
      try await store.write { try Self.insert(text, family: family, owner, companion, now, on: $0) }
    }
    return text
  }

  /// Whose a refresh token is, used or not; nil for an unknown or expired one.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func owner(of text: String) async throws -> Owner? {
    let (digest, now) = (Self.digest(text), clock.now)
    return try await logger.refusing {
      try await store.read { connection in
        let row = try connection.first(
          "SELECT user_id, app FROM refresh_tokens WHERE digest = ? AND expires_at > ?",
          [.blob(digest), .integer(now.milliseconds)])
        return try row.map { Owner(user: try $0.text(0), app: try $0.integer(1)) }
      }
    }
  }

  /// Uses a refresh token up.
  ///
  /// - Parameter companion: the access token that goes with its successor.
  /// - Returns: the successor; nil where the token is no good, and then its family has ended if it was used before.
  /// - Throws: `Refusal.storeUnavailable`.
  package func rotate(_ text: String, with companion: Companion) async throws -> String? {
    let (next, digest, now) = (Self.newToken(), Self.digest(text), clock.now)
    let outcome: Rotation = try await logger.refusing {
      try await store.write { try Self.rotate(digest, to: next, companion, now, on: $0) }
    }
    switch outcome {
    case .rotated: return next
    case .unknown: return nil
    case .reused(let owner, let revocations):
      known.add(revocations)
      logger.warning(
        "a refresh token was used twice: its family has ended", .text("user", owner.user), .integer("app", owner.app))
      return nil
    }
  }

  /// Ends the family that an access token was given out with, if there is one.
  ///
  /// - Throws: `Refusal.storeUnavailable`.
  package func end(companionOf tokenID: String) async throws {
    try await logger.refusing {
      try await store.write { connection in
        guard let row = try connection.first("SELECT family FROM refresh_tokens WHERE jti = ?", [.text(tokenID)]) else {
          return
        }
        try connection.run("DELETE FROM refresh_tokens WHERE family = ?", [.text(try row.text(0))])
      }
    }
  }

  /// Ends all of a user's in an app, within a transaction.
  static func end(user: String, app: Int64, on connection: any Connection) throws(StoreError) {
    try connection.run("DELETE FROM refresh_tokens WHERE user_id = ? AND app = ?", [.text(user), .integer(app)])
  }
}

// Statements.
extension RefreshTokens {
  private enum Rotation: Sendable {
    case rotated
    case unknown
    case reused(Owner, [Revocation])
  }

  private static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode(generator.bytes(32))
  }

  /// Only digests are kept: who reads the store can't use what it holds.
  private static func digest(_ text: String) -> [UInt8] { Digest.sha256(Array("refresh:\(text)".utf8)) }

  private static func insert(
    _ text: String, family: String, _ owner: Owner, _ companion: Companion, _ now: UnixTime,
    on connection: any Connection
  ) throws(StoreError) {
    try connection.run(
      """
      INSERT INTO refresh_tokens (digest, family, user_id, app, jti, jti_expires_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(digest(text)), .text(family), .text(owner.user), .integer(owner.app), .text(companion.tokenID),
        .integer(companion.expiresAt.milliseconds),
        .integer(now.adding(seconds: Limits.refreshLifetime).milliseconds),
      ])
  }

  private static func rotate(
    _ digest: [UInt8], to next: String, _ companion: Companion, _ now: UnixTime, on connection: any Connection
  ) throws(StoreError) -> Rotation {
    let row = try connection.first(
      "SELECT family, user_id, app FROM refresh_tokens WHERE digest = ? AND expires_at > ?\(connection.dialect.forUpdate)",
      [.blob(digest), .integer(now.milliseconds)])
    guard let row else { return .unknown }
    let (family, owner) = (try row.text(0), Owner(user: try row.text(1), app: try row.integer(2)))
    let isFirst =
      try connection.run(
        "UPDATE refresh_tokens SET used_at = ? WHERE digest = ? AND used_at IS NULL",
        [.integer(now.milliseconds), .blob(digest)]) == 1
    if isFirst {
      try insert(next, family: family, owner, companion, now, on: connection)
      return .rotated
    }
    let living = try connection.query(
      "SELECT jti, jti_expires_at FROM refresh_tokens WHERE family = ? AND jti_expires_at > ?",
      [.text(family), .integer(now.milliseconds)])
    let revocations = try living.map { row throws(StoreError) in
      Revocation(.token(jti: try row.text(0)), expiresAt: UnixTime(milliseconds: try row.integer(1)))
    }
    for revocation in revocations { try revocation.insert(on: connection) }
    try connection.run("DELETE FROM refresh_tokens WHERE family = ?", [.text(family)])
    try AuditEntry(
      .sessionsEnded, app: owner.app, user: owner.user, by: .gateway, detail: "a refresh token was used twice"
    ).insert(at: now, on: connection)
    return .reused(owner, revocations)
  }
}
