import GatewayBase
import GatewayStore
import GatewayStoreTesting
import Testing

@testable import GatewayIdentity

@Suite("Teams that the store knows") struct KnownTeamTests {
  @Test(
    "an app that has users of another team is found, and of none where it has one; others are not",
    arguments: StoreEngine.allCases)
  func strangers(_ engine: StoreEngine) async throws {
    try await withAccounts(engine) { fixture in
      let accounts = fixture.accounts()
      for (app, team) in [(1, "TEAM5"), (2, "TEAM5"), (2, "TEAM9"), (3, nil)] as [(Int64, String?)] {
        for index in 0..<3 { _ = try await accounts.signIn(identity(app: app, team: team, subject: "s\(index)")) }
      }
      // No issuer's users but Apple's have teams.
      _ = try await accounts.signIn(identity(app: 1, issuer: "https://other.example", team: nil))
      let teams = KnownTeams(store: fixture.store, issuer: "apple")
      func strangers(_ app: Int64, _ team: String?) async throws -> String? {
        try await teams.strangers(to: [(app, team)])[app]
      }
      #expect(try await strangers(1, "TEAM5") == nil)
      for other in ["TEAM4", "TEAM6", nil] { #expect(try await strangers(1, other) == "TEAM5") }
      #expect(try await strangers(2, "TEAM5") == "TEAM9")
      #expect(try await strangers(2, "TEAM9") == "TEAM5")
      #expect(try await strangers(3, "TEAM5") == "")
      #expect(try await strangers(3, nil) == nil)
      #expect(try await strangers(4, "TEAM5") == nil)
      let many = (1...(3 * Limits.teamsAskedTogether)).map { (app: Int64($0), team: "TEAM1" as String?) }
      #expect(try await teams.strangers(to: many).keys.sorted() == [1, 2, 3])
    }
  }
}
