import GatewayTesting
import Testing

@Suite("speed-gateway plugin list") struct PluginCommandTests {
  @Test("a plugin of the build is shown as loaded, exit 0")
  func loaded() throws {
    let result = try CommandFolder("plugins: \(Built.package)/plugins\n").run("plugin", "list")
    #expect(result.exitCode == 0)
    let lines = result.standardOutput.split(separator: "\n")
    #expect(lines.first?.hasPrefix("NAME") == true)
    let row = lines.first { $0.hasPrefix("apple-native ") }
    #expect(row?.hasSuffix("  loaded") == true)
  }

  @Test("a plugin that can't be loaded is one line that says why, exit 1")
  func failed() throws {
    let folder = try CommandFolder("plugins: plugins\n")
    try folder.write(
      "plugins/broken/plugin.yaml", "name: broken\nversion: 1.0.0\nlibrary: libBroken.so\nroutes: []\n")
    try folder.write("plugins/broken/libBroken.so", "no library\n")
    let result = try folder.run("plugin", "list")
    #expect(result.exitCode == 1)
    let rows = result.standardOutput.split(separator: "\n").filter { $0.hasPrefix("broken ") }
    #expect(rows.count == 1 && rows[0].contains("  failed: "))
  }

  @Test("no plugins is no failure")
  func none() throws {
    let result = try CommandFolder("plugins: plugins\n").run("plugin", "list")
    #expect(result.exitCode == 0)
    #expect(result.standardOutput == "no plugins\n")
  }
}

@Suite("speed-gateway plugin new") struct NewPluginTests {
  private static let kit = "\(Built.package)/ProviderKit"

  @Test("it writes a package under the name, which names the kit of this command's own tree")
  func package() throws {
    let folder = try CommandFolder()
    let result = try folder.run("plugin", "new", "pear-club", "--into", ".")
    #expect(result.exitCode == 0, "\(result.standardError)")
    func text(_ path: String) throws -> String {
      String(decoding: try FileBytes.read(folder.path("pear-club/\(path)")), as: UTF8.self)
    }
    #expect(try text("Package.swift").contains("?? \"\(Self.kit)\""))
    #expect(try text("plugin.yaml").contains("library: libPearClubPlugin.so\n"))
    for path in [
      "README.md", "Sources/PearClubPlugin/PearClubProvider.swift", "Sources/PearClubPluginEntry/Entry.swift",
      "Tests/PearClubPluginTests/PearClubProviderTests.swift",
    ] {
      #expect(try !text(path).isEmpty)
    }
  }

  @Test("what is there is never overwritten")
  func existing() throws {
    let folder = try CommandFolder()
    try folder.write("pear/mine", "mine\n")
    let result = try folder.run("plugin", "new", "pear")
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1 && result.standardError.contains("is there already"))
  }

  @Test(
    "a name of which no types can be made is refused with the rule, exit 2",
    arguments: [
      "Pear", "1pear", "pear-", "-pear", "pe ar", "../pear", "pear/x", "",
    ])
  func badName(name: String) throws {
    let folder = try CommandFolder()
    #expect(try folder.run("plugin", "new", "--", name).exitCode == 2)
  }

  @Test("a kit that is none is refused with the place")
  func noKit() throws {
    let folder = try CommandFolder()
    let result = try folder.run("plugin", "new", "pear", "--kit", "/nonexistent")
    #expect(result.exitCode == 1 && result.standardError.contains("/nonexistent"))
  }
}
