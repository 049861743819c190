import GatewayBase
import GatewayTesting
import Testing

/// The command `apple transfer`, and what users see of it.
@Suite("Another team", .onWiresOfItsOwn) struct AppleTransferTests {
  private static let target = "TEAM999999"

  private func transfer(_ scene: AppleScene, _ arguments: String...) throws -> CommandResult {
    let app = "\(AppleScene.app.id)"
    return switch arguments.count {
    case 0: try scene.gateway.command("apple", "transfer", "--app", app)
    case 2: try scene.gateway.command("apple", "transfer", "--app", app, arguments[0], arguments[1])
    default: try scene.gateway.command("apple", "transfer", "--app", app, arguments[0], arguments[1], arguments[2])
    }
  }

  private func moveTenant(_ scene: AppleScene) throws {
    let text = String(decoding: try FileBytes.read(scene.gateway.folder.path("tenants/app.yaml")), as: UTF8.self)
    try scene.gateway.folder.write("tenants/app.yaml", text.replacing(AppleScene.team, with: Self.target))
    let isLive = scene.gateway.process.waitForLine { $0.contains("tenants are live") ? true : nil }
    #expect(isLive == true)
  }

  @Test("B118 the app's own team is no target, and a dry run asks for one user and keeps nothing")
  func ownTeam() throws {
    let scene = try AppleScene()
    for _ in 0..<3 { _ = try scene.signIn() }
    let own = try transfer(scene, "--target", AppleScene.team)
    #expect(own.exitCode == 1 && own.standardError.contains("own team"))
    for target in [AppleScene.team.lowercased(), "\(AppleScene.team) ", "TEAM"] {
      let odd = try transfer(scene, "--target", target)
      #expect(odd.exitCode == 1 && odd.standardError.contains("no team ID"), "\(target)")
    }
    #expect(try scene.count("migration") == 0)
    for _ in 0..<2 {
      let trial = try transfer(scene, "--target", Self.target, "--dry-run")
      #expect(trial.exitCode == 0 && trial.standardOutput.contains("nothing is kept"))
    }
    #expect(try scene.count("migration") == 2)
  }

  @Test("B121 one failing user is named and passed over, and a second run goes on with him alone")
  func stuck() throws {
    let scene = try AppleScene()
    let subjects = (1...5).map { "00000\($0).\(TokenRequest.freshSubject().dropFirst(7))" }
    var users: [JSON] = []
    for subject in subjects { users.append(try scene.signIn(subject: subject)["user"]["id"]) }
    try scene.fail(["stuckSubjects": .array([.string(subjects[2])])])
    let first = try transfer(scene, "--target", Self.target)
    #expect(first.exitCode == 1 && first.standardOutput == "4 moved, 1 left\n")
    #expect(first.standardError.contains(users[2].string ?? "?") && first.standardError.contains("invalid_request"))
    #expect(!first.standardError.contains(subjects[2]))
    try scene.fail(["stuckSubjects": []])
    let second = try transfer(scene, "--target", Self.target)
    #expect(second.exitCode == 0 && second.standardOutput == "1 moved, 0 left\n")
    #expect(try scene.count("migration") == 6)
  }

  @Test(
    "B119 after the move each user has the account of before, found by the new subject or by transfer_sub, never by email"
  )
  func moves() throws {
    let scene = try AppleScene()
    let (first, second) = (TokenRequest.freshSubject(), TokenRequest.freshSubject())
    let ids = try [first, second].map { try scene.signIn(subject: $0)["user"]["id"] }
    #expect(try transfer(scene, "--target", Self.target).exitCode == 0)
    try moveTenant(scene)
    // The second comes before the take-over: his token names the transfer id.
    let given = try scene.calls("migration").first { $0["fields"]["sub"].string == second }
    #expect(given != nil)
    let transferID = try scene.sandbox.post(
      "/sandbox/transfer-id", ["sub": .string(second), "target": .string(Self.target)])["transfer_sub"]
    let moved = try scene.sandbox.token(
      TokenRequest(
        audience: AppleScene.app.bundleID, subject: "900000.\(second.dropFirst(7))",
        claims: ["transfer_sub": transferID, "email": "other@example.org"]))
    let signedIn = try scene.gateway.signIn(app: AppleScene.app.id, moved).json()
    #expect(signedIn["user"]["id"] == ids[1] && signedIn["isNewAccount"] == false)
    let taken = try transfer(scene)
    #expect(taken.exitCode == 0 && taken.standardOutput == "1 moved, 0 left\n")
    let after = try scene.gateway.signIn(
      app: AppleScene.app.id,
      try scene.sandbox.token(TokenRequest(audience: AppleScene.app.bundleID, subject: "900000.\(first.dropFirst(7))"))
    ).json()
    #expect(after["user"]["id"] == ids[0] && after["isNewAccount"] == false)
    let old = try scene.gateway.signIn(
      app: AppleScene.app.id, try scene.sandbox.token(TokenRequest(audience: AppleScene.app.bundleID, subject: first))
    ).json()
    #expect(old["isNewAccount"] == true, "nobody is found by an address")
  }
}
