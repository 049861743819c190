import GatewayBase
import GatewayStore

/// The identities of an app whose team at their provider changes. Each is dealt with by itself and remembered, so that
/// a run that was cut short goes on where it stopped.
package struct IdentityTransfer: Sendable {
  /// An identity that is still to be dealt with.
  package struct Pending: Sendable {
    package let user: String
    package let provider: String
    package let client: String?
    package let team: String
    package let subject: String
    /// Nil before it is given.
    package let transferID: String?
    fileprivate let issuer: String
  }

  private static let columns = "user_id, provider, client, team, subject, transfer_subject, issuer"

  private let store: any Store
  private let clock: any WallClock
  private let app: Int64

  package init(store: any Store, clock: any WallClock, app: Int64) {
    self.store = store
    self.clock = clock
    self.app = app
  }

  /// Identities of a team that have no transfer id yet, or one that has run out, in the order of their subjects.
  ///
  /// - Parameter subject: those behind it; empty for the first ones.
  package func toGive(team: String, after subject: String, limit: Int) async throws -> [Pending] {
    try await pending(
      "team = ? AND subject > ? AND (transfer_subject IS NULL OR transfer_until <= ?)",
      [.text(team), .text(subject), .integer(clock.now.milliseconds)], limit)
  }

  /// Identities with a transfer id that are not yet of the app's new team.
  package func toTake(newTeam: String, after subject: String, limit: Int) async throws -> [Pending] {
    try await pending(
      "team <> ? AND subject > ? AND transfer_subject IS NOT NULL", [.text(newTeam), .text(subject)], limit)
  }

  private func pending(_ condition: String, _ arguments: [SQLValue], _ limit: Int) async throws -> [Pending] {
    try await store.read { [app] connection in
      try connection.query(
        """
        SELECT \(Self.columns) FROM identities WHERE app = ? AND provider IS NOT NULL AND \(condition)
        ORDER BY subject LIMIT \(limit)
        """, [.integer(app)] + arguments
      ).map { row in
        Pending(
          user: try row.text(0), provider: try row.text(1), client: try row.optionalText(2), team: try row.text(3),
          subject: try row.text(4), transferID: try row.optionalText(5), issuer: try row.text(6))
      }
    }
  }

  /// The transfer id of an identity, by which its user is known for sixty days.
  package func given(_ identity: Pending, transferID: String) async throws {
    let until = clock.now.adding(seconds: Limits.transferLifetime)
    try await store.write { [app] connection in
      try connection.run(
        """
        UPDATE identities SET transfer_subject = ?, transfer_until = ?
        WHERE app = ? AND team = ? AND issuer = ? AND subject = ?
        """,
        [
          .text(transferID), .integer(until.milliseconds), .integer(app), .text(identity.team), .text(identity.issuer),
          .text(identity.subject),
        ])
    }
  }

  /// The identity in its new team.
  ///
  /// - Throws: `StoreError.uniqueViolation` where the person has signed in there already, as a new account.
  package func taken(
    _ identity: Pending, team: String, subject: String, email: String?, isPrivateEmail: Bool
  ) async throws {
    let now = clock.now
    try await store.write { [app] connection in
      try connection.run(
        """
        UPDATE identities SET team = ?, subject = ?, transfer_subject = NULL, transfer_until = NULL
        WHERE app = ? AND team = ? AND issuer = ? AND subject = ?
        """,
        [
          .text(team), .text(subject), .integer(app), .text(identity.team), .text(identity.issuer),
          .text(identity.subject),
        ])
      if let email = EmailAddress.accepted(email) {
        try connection.run(
          "UPDATE users SET email = ?, is_private_email = ? WHERE id = ? AND app = ?",
          [.text(email), .flag(isPrivateEmail), .text(identity.user), .integer(app)])
      }
      try AuditEntry(.transfer, app: app, user: identity.user, by: .admin).insert(at: now, on: connection)
    }
  }
}
