import GatewayBase
import GatewayTesting
import Testing

/// A long queue of work at Apple.
@Suite("Pending revocations", .onWiresOfItsOwn) struct PendingRevocationTests {
  private static let count = 2000
  private static let perSecond = 400

  /// Copies the one piece of work in a store that no gateway has open.
  private func multiply(_ database: String) throws {
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      columns = "priority, kind, provider, app, user_id, client, sealed, attempts, created_at"
      for _ in range(int(sys.argv[2]) - 1):
        database.execute(f"INSERT INTO provider_jobs ({columns}, due_at) SELECT {columns}, 0 FROM provider_jobs WHERE id = 2")
      database.execute("UPDATE provider_jobs SET due_at = 0")
      database.commit()
      print(database.execute("SELECT COUNT(*) FROM provider_jobs").fetchone()[0])
      """
    let result = try CommandResult.run(["python3", "-c", script, database, "\(Self.count)"])
    try #require(result.standardOutput == "\(Self.count)\n", "\(result.standardError)")
  }

  @Test("they drain no faster than configured, in flat memory, and survive kill -9")
  func drain() throws {
    let scene = try AppleScene(sections: [
      "limits": """
      { signIns: { requests: 1000000, per: 1s }, providerCalls: { requests: \(Self.perSecond), per: 1s } }
      """
    ])
    let bearer = try #require(try scene.signIn()["token"].string)
    try scene.fail(["revoke": "unavailable"])
    #expect(try scene.gateway.deleteAccount(bearer).status == 200)
    #expect(try eventually { try scene.jobs()["first"][0]["attempts"].integer == 1 })
    scene.gateway.kill()
    try multiply(scene.gateway.folder.path("var/gateway.db"))
    try scene.fail(["revoke": "ok"])
    let before = try scene.count("revoke")
    try scene.gateway.start()
    let start = MonotonicClock.nanoseconds
    #expect(try eventually { try scene.count("revoke") - before > 50 })
    let memory = scene.gateway.process.residentBytes
    #expect(try eventually { try scene.count("revoke") - before > Self.count / 2 })
    #expect(scene.gateway.process.residentBytes - memory < 32 << 20)
    scene.gateway.kill()
    try scene.gateway.start()
    // What was under way when the process died is taken up again a minute later.
    #expect(try eventually { try scene.waiting("release") <= Limits.jobBatch })
    let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    #expect(seconds > 0.9 * Double(Self.count - Limits.jobBatch) / Double(Self.perSecond))
    #expect(try scene.count("revoke") - before >= Self.count - Limits.jobBatch)
  }
}
