import GatewayTesting
import Testing

/// A changed `teamId` makes strangers of all users: who changes it is told.
@Suite("A changed team", .onWiresOfItsOwn) struct TeamChangeTests {
  private static let other = "TEAM999999"

  private func replace(_ scene: AppleScene, _ text: String, with other: String) throws {
    let path = scene.gateway.folder.path("tenants/app.yaml")
    let file = String(decoding: try FileBytes.read(path), as: UTF8.self)
    try scene.gateway.folder.write("tenants/app.yaml", file.replacing(text, with: other))
  }

  private func warnings(_ scene: AppleScene) throws -> [Substring] {
    let result = try scene.gateway.command("check")
    #expect(result.exitCode == 0)
    return result.standardOutput.split(separator: "\n").filter { $0.contains("team_changed") }
  }

  @Test("check and the gateway name the place and apple transfer, and say nothing where the team is the users' own")
  func changed() throws {
    let scene = try AppleScene()
    #expect(try warnings(scene).isEmpty)
    _ = try scene.signIn()
    #expect(try warnings(scene).isEmpty)
    try replace(scene, AppleScene.team, with: Self.other)
    let record = scene.gateway.process.waitForLine { line -> JSON? in
      guard line.contains("team_changed") else { return nil }
      return try? JSON(parsing: Array(line.utf8))
    }
    #expect(record?["line"] == 7 && record?["column"] == 11 && record?["level"] == "warning")
    #expect(record?["file"].string?.hasSuffix("tenants/app.yaml") == true)
    #expect(record?["problem"].string?.contains("under team `\(AppleScene.team)`") == true)
    #expect(try scene.gateway.command("check").standardOutput.contains("speed-gateway apple transfer --app 301"))
    let told = try warnings(scene)
    #expect(told.count == 1 && told.first?.contains("tenants/app.yaml:7:11: warning: ") == true, "\(told)")
    try replace(scene, Self.other, with: AppleScene.team)
    #expect(try warnings(scene).isEmpty)
    try replace(scene, "  teamId: \(AppleScene.team)\n", with: "")
    try replace(scene, "  signInKey:", with: "  x-signInKey:")
    #expect(try warnings(scene).first?.contains("tenants/app.yaml:6:3: warning: ") == true)
  }
}
