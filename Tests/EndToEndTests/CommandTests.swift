import GatewayTesting
import Testing

/// The command's own behaviour: usage, exit codes, and `check` from outside.
@Suite("The command", .onEveryWire) struct CommandTests {
  private func run(_ arguments: String..., folder: String = "/") throws -> CommandResult {
    try CommandResult.run([Built.command] + arguments, folder: folder)
  }

  /// A folder with a good gateway.yaml and these tenant files.
  private func folder(_ tenants: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("gateway.yaml", "listen: [{ address: 127.0.0.1:0 }]\nadmin: { address: 127.0.0.1:0 }\n")
    try folder.makeFolder("tenants")
    for (name, text) in tenants { try folder.write("tenants/\(name)", text) }
    return folder
  }

  private func tenant(_ id: Int, _ host: String, bundleIDs: [String] = []) -> String {
    TenantFile(id, host, bundleIDs: bundleIDs, ports: [9001]).yaml
  }

  @Test("wrong usage is exit 2 with one line on standard error")
  func wrongUsage() throws {
    for arguments in [
      ["nonsense"], ["serve", "--nonsense"], ["token"], ["check", "--format", "xml"], ["serve", "--config"],
    ] {
      let result = try CommandResult.run([Built.command] + arguments)
      #expect(result.exitCode == 2, "\(arguments)")
      #expect(result.standardOutput.isEmpty, "\(arguments)")
      #expect(result.standardError.split(separator: "\n").count == 1, "\(arguments)")
    }
  }

  @Test("--help at each level and --version go to standard output with exit 0")
  func help() throws {
    for arguments in [
      ["--help"], ["serve", "--help"], ["check", "--help"], ["token", "--help"], ["token", "inspect", "--help"],
      ["keys", "--help"], ["plugin", "--help"], ["sandbox", "--help"], ["--version"],
    ] {
      let result = try CommandResult.run([Built.command] + arguments)
      #expect(result.exitCode == 0, "\(arguments)")
      #expect(!result.standardOutput.isEmpty, "\(arguments)")
      #expect(result.standardError.isEmpty, "\(arguments)")
      #expect(!result.standardOutput.contains("\u{1B}["), "no colours away from a terminal")
    }
  }

  @Test("check of good files is exit 0")
  func good() throws {
    let folder = try folder(["a.yaml": tenant(1, "a.localhost"), "sub/b.yaml": tenant(2, "b.localhost")])
    let result = try run("check", "--config", folder.path("gateway.yaml"))
    #expect(result.exitCode == 0)
  }

  @Test("check names every problem of every file at once, with its place and code")
  func problems() throws {
    let folder = try folder([
      "a.yaml": tenant(1, "a.localhost") + "redirectss: []\n",
      "b.yaml": tenant(1, "b.localhost"),
      "c.yaml": tenant(3, "A.localhost."),
      "d.yaml": "appId: 0123\nappId: 4\n",
      "e.yaml": "",
    ])
    let result = try run("check", "--config", folder.path("gateway.yaml"))
    #expect(result.exitCode == 1)
    let text = result.standardOutput
    for code in ["unknown_key", "duplicate_app", "duplicate_domain", "duplicate_key", "invalid_value", "empty_file"] {
      #expect(text.contains("(\(code))"), "\(code)")
    }
    #expect(text.contains("redirects"))
    for line in text.split(separator: "\n") where line.contains(": error: ") {
      let place = line.prefix { $0 != " " }.split(separator: ":")
      #expect(place.count == 3 && place.dropFirst().allSatisfy { Int($0) ?? 0 > 0 }, "\(line)")
    }
  }

  @Test("B15 a number of the App Store in place of a bundle ID is an error at its place")
  func storeNumber() throws {
    let folder = try folder(["a.yaml": tenant(1, "a.localhost", bundleIDs: ["\"1596750535\""])])
    let result = try run("check", "--config", folder.path("gateway.yaml"))
    #expect(result.exitCode == 1)
    // Line 6 of the file; the value begins after `  bundleIds: [`.
    #expect(result.standardOutput.contains("a.yaml:6:15: error: "))
    #expect(result.standardOutput.contains("(invalid_value)"))
  }

  @Test("a bundle ID of two apps is a conflict that names both places, and exit 1")
  func conflict() throws {
    let folder = try folder([
      "a.yaml": tenant(1, "a.localhost", bundleIDs: ["com.example.x"]),
      "b.yaml": tenant(2, "b.localhost", bundleIDs: ["com.example.x"]),
    ])
    let result = try run("check", "--config", folder.path("gateway.yaml"))
    #expect(result.exitCode == 1)
    #expect(result.standardOutput.contains(": conflict: ") && result.standardOutput.contains("(bundle_id_conflict)"))
    #expect(result.standardOutput.contains("a.yaml") && result.standardOutput.contains("b.yaml"))
  }

  @Test("warnings alone are exit 0")
  func warnings() throws {
    let folder = try folder(["a.yaml": tenant(1, "a.localhost") + "cors: { origins: [https://a.example] }\n"])
    let result = try run("check", "--config", folder.path("gateway.yaml"))
    #expect(result.exitCode == 0)
  }

  @Test("the json form is one readable array, the github form workflow commands")
  func formats() throws {
    let folder = try folder(["a.yaml": tenant(1, "a.localhost") + "nonsense: 1\n"])
    let json = try run("check", "--config", folder.path("gateway.yaml"), "--format", "json")
    #expect(json.exitCode == 1)
    let problem = try JSON(parsing: Array(json.standardOutput.utf8)).items.first { $0["code"] == "unknown_key" }
    #expect(problem?["severity"] == "error")
    #expect((problem?["line"].integer ?? 0) > 0 && (problem?["column"].integer ?? 0) > 0)
    #expect(problem?["file"].string?.hasSuffix("a.yaml") == true)
    let github = try run("check", "--config", folder.path("gateway.yaml"), "--format", "github")
    #expect(github.exitCode == 1)
    #expect(
      github.standardOutput.split(separator: "\n").contains {
        $0.hasPrefix("::error file=") && $0.contains("line=") && $0.contains("col=") && $0.contains("unknown_key")
      })
  }

  @Test("check of named files judges them alone")
  func namedFiles() throws {
    let folder = try folder(["a.yaml": tenant(1, "a.localhost"), "bad.yaml": "appId: x\n"])
    let good = try run("check", "--config", folder.path("gateway.yaml"), folder.path("tenants/a.yaml"))
    #expect(good.exitCode == 0)
    let bad = try run("check", "--config", folder.path("gateway.yaml"), folder.path("tenants/bad.yaml"))
    #expect(bad.exitCode == 1)
  }

  @Test("serve on a gateway.yaml that can't be used is exit 78 and says where")
  func unusable() throws {
    let folder = try folder([:])
    try folder.write("gateway.yaml", "listen: [{ address: 127.0.0.1:0 }]\nnonsense: 1\n")
    let result = try run("serve", "--config", folder.path("gateway.yaml"), folder: folder.path)
    #expect(result.exitCode == 78)
    #expect(result.standardError.contains("gateway.yaml:2:1") && result.standardError.contains("unknown_key"))
    #expect(try run("serve", "--config", folder.path("absent.yaml"), folder: folder.path).exitCode == 78)
  }

  @Test("a tenant file that does not check stops its own app and no other")
  func oneBadFile() throws {
    let stage = try Stage.shared()
    var good = TenantFile(1, "good.localhost", bundleIDs: [], ports: [stage.backend.port])
    good.routes = ["{ path: /, backend: main, auth: none }"]
    let gateway = try GatewayProcess(
      GatewaySetup(keysURL: stage.sandbox.keysURL, tenants: ["a.yaml": "appId: [", "b.yaml": good.yaml]))
    #expect(try gateway.exchange(HTTPRequest("GET", "/", host: "good.localhost")).status == 200)
    #expect(gateway.log.contains("a.yaml"))
  }

  @Test("plugin list shows name, version and state, with exit 0")
  func pluginList() throws {
    let stage = try Stage.shared()
    let result = try stage.gateway.command("plugin", "list")
    #expect(result.exitCode == 0)
    let row = result.standardOutput.split(separator: "\n").first { $0.contains("apple-native") }
    #expect(row?.contains("loaded") == true)
  }
}
