import GatewayConfig
import GatewayIdentity
import GatewayStore

extension KnownTeams {
  /// Of the issuer whose teams a tenant's file names under `ios`.
  package init(store: any Store) { self.init(store: store, issuer: "apple") }
}

extension Problem {
  /// A tenant's file names another team than that by which the store knows users of the app, or none any more.
  ///
  /// - Parameter known: the users' team; empty where they have none.
  package static func teamChanged(file: String, _ app: TenantConfiguration, known: String) -> Problem {
    let places = FilePlaces(file: file)
    let known = known.isEmpty ? nil : known
    func under(_ team: String?) -> String { team.map { "under team `\($0)`" } ?? "without a team" }
    let transfer = "where Apple has moved the app: speed-gateway apple transfer --app \(app.appID)"
    return Problem(
      file: file, place: places.location(["ios", "teamId"]) ?? places.location(["ios"]) ?? .start, severity: .warning,
      code: .teamChanged,
      message: "users of the app signed in \(under(known)): \(under(app.ios.teamID)) they would all become strangers",
      hint: known.map { "\(transfer); else write teamId: \($0) again" } ?? "take teamId out again")
  }
}
