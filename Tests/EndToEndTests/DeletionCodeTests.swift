import GatewayTesting
import Testing

/// What a code brings is had once: nothing of it is lost where the store fails in between.
@Suite("Codes and a failing store", .onWiresOfItsOwn) struct DeletionCodeTests {
  /// Changes the database beside the gateway that runs on it.
  private func change(_ scene: AppleScene, _ sql: String) throws {
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1], timeout=20)
      database.execute(sys.argv[2])
      database.commit()
      """
    let database = scene.gateway.folder.path("var/gateway.db")
    let result = try CommandResult.run(["python3", "-c", script, database, sql])
    try #require(result.exitCode == 0, "\(result.standardError)")
  }

  /// Has the store refuse a statement until the returned closure is called.
  private func refuse(_ scene: AppleScene, _ event: String, when condition: String = "1") throws -> () throws -> Void {
    try change(
      scene, "CREATE TRIGGER refused BEFORE \(event) WHEN \(condition) BEGIN SELECT RAISE(ABORT, 'refused'); END")
    return { try change(scene, "DROP TRIGGER refused") }
  }

  @Test("a deletion that fails behind the exchange of its code keeps the token, and the next one has it revoked")
  func failingDeletion() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    let bearer = try #require(try scene.signIn(subject: subject)["token"].string)
    let code = try #require(try scene.token(subject: subject).code)
    let allow = try refuse(scene, "DELETE ON identities")
    #expect(try scene.gateway.deleteAccount(bearer, ["authorizationCode": .string(code)]).status >= 500)
    #expect(try scene.count("token") == 2, "the code is used up")
    #expect(try scene.gateway.me(bearer).status == 200)
    try allow()
    #expect(try scene.gateway.deleteAccount(bearer).status == 200)
    #expect(try eventually { try scene.grants().map { $0["revoked"] } == [true, true] })
  }

  @Test("where the code can't be kept it is not used, and good for the next deletion")
  func unused() throws {
    let scene = try AppleScene()
    let subject = TokenRequest.freshSubject()
    let bearer = try #require(try scene.signIn(subject: subject)["token"].string)
    let body: [String: JSON] = ["authorizationCode": .string(try #require(try scene.token(subject: subject).code))]
    let allow = try refuse(scene, "INSERT ON provider_jobs", when: "NEW.kind = 'follow-up'")
    #expect(try scene.gateway.deleteAccount(bearer, body).status >= 500)
    #expect(try scene.count("token") == 1)
    try allow()
    #expect(try scene.gateway.deleteAccount(bearer, body).status == 200)
    #expect(try scene.count("token") == 2)
    #expect(try eventually { try scene.grants().map { $0["revoked"] } == [true, true] })
  }

  @Test("a token that can't be kept at first is kept once the store takes it")
  func keptLater() throws {
    let scene = try AppleScene()
    let allow = try refuse(scene, "INSERT ON grants")
    let answer = try scene.gateway.signInWithCode(app: AppleScene.app.id, try scene.token())
    #expect(answer.status == 200)
    let told = scene.gateway.process.waitForLine { $0.contains("a provider's grant can't be kept yet") ? true : nil }
    #expect(told == true)
    try allow()
    #expect(try eventually { try scene.waiting("follow-up") == 0 })
    #expect(try scene.gateway.deleteAccount(try #require(try answer.json()["token"].string)).status == 200)
    #expect(try eventually { try scene.grants().map { $0["revoked"] } == [true] })
  }
}
