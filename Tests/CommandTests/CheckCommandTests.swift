import GatewayTesting
import Testing

@Suite("speed-gateway check") struct CheckCommandTests {
  private static let good = """
    appId: 1
    name: Notes
    domains: [notes.localhost]
    backends: { api: { servers: [http://127.0.0.1:9001] } }
    routes: [{ path: /, backend: api, auth: none }]

    """
  private static let bad = good + "redirectss: []\n"

  @Test("good files are exit 0 with a count")
  func good() throws {
    let result = try CommandFolder(tenants: ["notes.yaml": Self.good]).run("check")
    #expect(result.exitCode == 0)
    #expect(result.standardOutput == "2 files: no problems\n")
    #expect(result.standardError.isEmpty)
  }

  @Test("a problem is a line with place and code, and exit 1")
  func text() throws {
    let result = try CommandFolder(tenants: ["notes.yaml": Self.bad]).run("check")
    #expect(result.exitCode == 1)
    #expect(result.standardOutput.contains("tenants/notes.yaml:6:1: error: "))
    #expect(result.standardOutput.contains("(unknown_key)\n"))
    #expect(result.standardOutput.hasSuffix("2 files: 1 error\n"))
    #expect(result.standardError.isEmpty)
  }

  @Test("the json form is an array and nothing else, also where there is no problem")
  func json() throws {
    let bad = try CommandFolder(tenants: ["notes.yaml": Self.bad]).run("check", "--format=json")
    #expect(bad.exitCode == 1)
    let problem = try #require(try JSON(parsing: Array(bad.standardOutput.utf8)).items.first)
    #expect(problem["code"] == "unknown_key" && problem["line"] == 6 && problem["column"] == 1)
    let good = try CommandFolder(tenants: ["notes.yaml": Self.good]).run("check", "--format", "json")
    #expect(good.exitCode == 0)
    #expect(try JSON(parsing: Array(good.standardOutput.utf8)) == .array([]))
  }

  @Test("the github form is one workflow command a problem")
  func github() throws {
    let result = try CommandFolder(tenants: ["notes.yaml": Self.bad]).run("check", "--format", "github")
    #expect(result.exitCode == 1)
    let lines = result.standardOutput.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix("::error file=") && lines[0].contains("line=6,col=1"))
  }

  @Test("named paths are judged alone, the rest stays unsaid")
  func paths() throws {
    let folder = try CommandFolder(tenants: [
      "bad.yaml": Self.bad.replacing("appId: 1", with: "appId: 2").replacing("notes.", with: "other."),
      "good.yaml": Self.good,
    ])
    #expect(try folder.run("check", "tenants/good.yaml").exitCode == 0)
    #expect(try folder.run("check", "tenants/bad.yaml").exitCode == 1)
    #expect(try folder.run("check", "--", "tenants/good.yaml").exitCode == 0)
  }

  @Test("variables stand over the file")
  func variables() throws {
    let result = try CommandFolder().run("check", environment: ["SPEED_STORE_URL": "ftp://x"])
    #expect(result.exitCode == 1)
    #expect(result.standardOutput.contains("environment:SPEED_STORE_URL: error: "))
  }

  @Test("colours come on a terminal alone, and not with NO_COLOR")
  func colours() throws {
    let folder = try CommandFolder(tenants: ["notes.yaml": Self.bad])
    let onTerminal = "script -qec \"$0 check\" /dev/null"
    let term = ["TERM": "xterm"]
    #expect(try folder.shell(onTerminal, environment: term).standardOutput.contains("\u{1B}["))
    let refused = try folder.shell(onTerminal, environment: term.merging(["NO_COLOR": "1"]) { $1 })
    #expect(refused.standardOutput.contains("unknown_key") && !refused.standardOutput.contains("\u{1B}["))
    #expect(!(try folder.run("check", environment: term).standardOutput.contains("\u{1B}[")))
  }
}
