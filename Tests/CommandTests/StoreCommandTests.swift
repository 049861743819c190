import GatewayTesting
import Testing

@Suite("speed-gateway store") struct StoreCommandTests {
  @Test("check of a store that is not there is exit 1, and makes none")
  func absent() throws {
    let folder = try CommandFolder()
    for _ in 1...2 {
      let result = try folder.run("store", "check")
      #expect(result.exitCode == 1)
      #expect(result.complaints.count == 1 && result.standardOutput.isEmpty)
    }
    #expect(try folder.shell("ls var").exitCode != 0)
  }

  @Test("migrate makes the schema once, and check tells engine and version")
  func migrate() throws {
    let folder = try CommandFolder()
    let first = try folder.run("store", "migrate")
    #expect(first.exitCode == 0 && first.standardOutput.hasPrefix("applied version 1"))
    let second = try folder.run("store", "migrate")
    #expect(second.exitCode == 0 && second.standardOutput.hasPrefix("the schema is up to date"))
    let check = try folder.run("store", "check")
    #expect(check.exitCode == 0)
    #expect(check.standardOutput.hasPrefix("SQLite 3.") && check.standardOutput.hasSuffix("(up to date)\n"))
  }

  @Test("a store that can't be used is exit 1 with one line", arguments: ["check", "migrate"])
  func unusable(_ command: String) throws {
    let folder = try CommandFolder("store: { url: sqlite:not-a-folder/gateway.db }\n")
    try folder.write("not-a-folder", "a file\n")
    let result = try folder.run("store", command)
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1 && result.standardOutput.isEmpty)
  }

  @Test("a file that is no database is exit 1 with one line")
  func garbage() throws {
    let folder = try CommandFolder("store: { url: sqlite:gateway.db }\n")
    try folder.write("gateway.db", String(repeating: "garbage ", count: 1000))
    let result = try folder.run("store", "check")
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1)
  }

  @Test("a MariaDB that can't be reached is exit 1 with one line")
  func unreachable() throws {
    // Nobody listens on port 1.
    let folder = try CommandFolder("store: { url: mariadb://speed@127.0.0.1:1/speed }\n")
    let result = try folder.run("store", "check")
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1 && result.standardError.contains("not available"))
  }

  @Test("a password that is missing is named by its place alone")
  func missingPassword() throws {
    let folder = try CommandFolder("store: { url: mariadb://speed@127.0.0.1:1/speed, passwordEnv: STORE_WORD }\n")
    let result = try folder.run("store", "check")
    #expect(result.exitCode == 1)
    #expect(result.standardError.contains("STORE_WORD is not set"))
  }

  @Test(
    "check connects to MariaDB",
    .enabled(if: ProcessEnvironment.value("SPEED_TEST_MARIADB") != nil, "SPEED_TEST_MARIADB names no server"))
  func mariaDB() throws {
    let url = try #require(ProcessEnvironment.value("SPEED_TEST_MARIADB"))
    let result = try CommandFolder("store: { url: \"\(url)\" }\n").run("store", "check")
    #expect(result.exitCode == 0)
    #expect(result.standardOutput.hasPrefix("MariaDB ") && result.standardOutput.contains("schema version"))
  }
}
