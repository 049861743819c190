import GatewayBase
import GatewayStore

/// The end of tokens before their time.
package struct Revocation: Sendable, Hashable {
  /// Which tokens end.
  package enum Scope: Sendable, Hashable {
    case token(jti: String)
    /// Every token of the user in the app that was issued up to this time.
    case user(String, app: Int64, issuedUntil: UnixTime)
  }

  /// Which tokens end.
  package let scope: Scope
  /// When none of the tokens that it ends would be good any more by itself.
  package let expiresAt: UnixTime

  package init(_ scope: Scope, expiresAt: UnixTime) {
    self.scope = scope
    self.expiresAt = expiresAt
  }

  /// The end of an app's own account whose id never comes again: its tokens end whenever they are issued, also one that a
  /// sign-in at the same moment is about to issue.
  static func ofGoneAccount(_ user: String, app: Int64, at now: UnixTime) -> Revocation {
    let longest = now.adding(seconds: 2 * Limits.tokenLifetime)
    return Revocation(.user(user, app: app, issuedUntil: longest), expiresAt: longest)
  }

  static let columns = "seq, jti, app, user_id, issued_until, expires_at, link_changes, ticket"

  /// From a row of `columns` without link changes and ticket, whose first is the sequence number.
  init(row: Row) throws(StoreError) {
    if let jti = try row.optionalText(1) {
      scope = .token(jti: jti)
    } else {
      let issuedUntil = UnixTime(milliseconds: try row.integer(4))
      scope = .user(try row.text(3), app: try row.integer(2), issuedUntil: issuedUntil)
    }
    expiresAt = UnixTime(milliseconds: try row.integer(5))
  }

  /// Adds the row. With all of a user's tokens in an app the means to get new ones end too.
  func insert(on connection: any Connection) throws(StoreError) {
    let values: [SQLValue] =
      switch scope {
      case .token(let jti): [.text(jti), .null, .null, .null]
      case .user(let user, let app, let issuedUntil):
        [.null, .integer(app), .text(user), .integer(issuedUntil.milliseconds)]
      }
    try connection.run(
      "INSERT INTO revocations (jti, app, user_id, issued_until, expires_at) VALUES (?, ?, ?, ?, ?)",
      values + [.integer(expiresAt.milliseconds)])
    if case .user(let user, let app, _) = scope {
      try RefreshTokens.end(user: user, app: app, on: connection)
      try SignInCodes.endSessions(user: user, app: app, on: connection)
    }
  }
}
