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
