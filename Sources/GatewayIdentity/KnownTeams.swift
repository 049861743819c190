import GatewayBase
import GatewayStore

/// The teams at a provider by which the store knows the users of apps.
package struct KnownTeams: Sendable {
  private let store: any Store
  private let issuer: String

  /// - Parameter issuer: whose users have teams.
  package init(store: any Store, issuer: String) {
    self.store = store
    self.issuer = issuer
  }

  /// Apps that have users of another team than the app's own, each with such a team: empty where they have none.
  ///
  /// - Parameter teams: each app's own; nil where it has none.
  /// - Throws: `StoreError`.
  package func strangers(to teams: [(app: Int64, team: String?)]) async throws -> [Int64: String] {
    var found: [Int64: String] = [:]
    for start in stride(from: 0, to: teams.count, by: Limits.teamsAskedTogether) {
      let page = teams[start..<min(start + Limits.teamsAskedTogether, teams.count)]
      let others = try await store.read { [issuer] connection in
        try page.map { (app: $0.app, other: try Self.other(than: $0.team ?? "", issuer, app: $0.app, on: connection)) }
      }
      for (app, other) in others { found[app] = other }
    }
    return found
  }

  /// Each part is one look into the key, however many users there are. Other issuers have no teams.
  private static func other(
    than team: String, _ issuer: String, app: Int64, on connection: any Connection
  ) throws(StoreError) -> String? {
    let row = try connection.first(
      """
      SELECT (SELECT MIN(team) FROM identities WHERE app = ? AND team > '' AND team < ?),
        (SELECT MAX(team) FROM identities WHERE app = ? AND team > ?),
        (SELECT MIN(team) FROM identities WHERE ? <> '' AND app = ? AND team = '' AND issuer = ?)
      """,
      [
        .integer(app), .text(team), .integer(app), .text(team), .text(team), .integer(app), .text(issuer),
      ])
    guard let row else { return nil }
    for column in 0...2 {
      if let other = try row.optionalText(column) { return other }
    }
    return nil
  }
}
