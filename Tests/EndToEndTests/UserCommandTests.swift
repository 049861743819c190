import GatewayBase
import GatewayTesting
import Testing

/// The commands `user show|export|delete`, and the checks that run by themselves.
@Suite("Accounts by command", .onWiresOfItsOwn) struct UserCommandTests {
  @Test("show and export tell what is kept and never a credential; export leaves a trace")
  func shows() throws {
    let scene = try AppleScene()
    let json = try scene.signIn()
    let id = try #require(json["user"]["id"].string)
    let token = try #require(try scene.grants().first?["token"].string)
    let shown = try scene.gateway.command("user", "show", id)
    #expect(shown.exitCode == 0)
    for text in [id, "ada@example.org", AppleScene.app.bundleID, "sign-in", "127.0.0.1"] {
      #expect(shown.standardOutput.contains(text), "\(text)")
    }
    let exported = try scene.gateway.command("user", "export", id)
    let record = try JSON(parsing: Array(exported.standardOutput.utf8))
    #expect(record["account"]["id"].string == id && record["grants"].items.count == 1)
    #expect(record["identities"][0]["client"].string == AppleScene.app.bundleID)
    for output in [shown.standardOutput, exported.standardOutput] {
      #expect(!output.contains(token) && !output.contains(json["token"].string ?? "?"))
    }
    #expect(try scene.gateway.command("user", "show", id).standardOutput.contains("export"))
    #expect(try scene.gateway.command("user", "show", "nobody").exitCode == 1)
    #expect(try scene.gateway.command("user", "show").exitCode == 2)
  }

  @Test("delete ends the account as its user could: tokens within two seconds, and Apple's token too")
  func deletes() throws {
    let scene = try AppleScene()
    let json = try scene.signIn()
    let (id, bearer) = (try #require(json["user"]["id"].string), try #require(json["token"].string))
    #expect(try scene.gateway.command("user", "delete", id, "--app", "999").exitCode == 1)
    #expect(try scene.gateway.me(bearer).status == 200)
    #expect(try scene.gateway.command("user", "delete", id).exitCode == 0)
    let deadline = Deadline(seconds: 2.5)
    #expect(try eventually { try scene.gateway.me(bearer).status == 401 })
    #expect(!deadline.isOver)
    #expect(try eventually { try scene.grants().map { $0["revoked"] } == [true] })
    #expect(try scene.gateway.command("user", "delete", id).exitCode == 1)
    #expect(try scene.gateway.command("user", "show", id).standardOutput.contains("admin"), "its trace stays")
  }

  @Test("a new sealing key takes over, and what the old one sealed is still revoked")
  func sealing() throws {
    let scene = try AppleScene()
    let first = try #require(try scene.signIn()["token"].string)
    let rotated = try scene.gateway.command("keys", "rotate", "--sealing")
    #expect(rotated.exitCode == 0 && rotated.standardOutput.contains("seals from now on"))
    let second = try #require(try scene.signIn()["token"].string)
    for bearer in [first, second] { #expect(try scene.gateway.deleteAccount(bearer).status == 200) }
    #expect(try eventually { try scene.grants().map { $0["revoked"] } == [true, true] })
  }
}
