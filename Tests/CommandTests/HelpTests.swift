import GatewayTesting
import Testing

@Suite("Help of the command") struct HelpTests {
  private static let commands = [
    [], ["serve"], ["check"], ["explain"], ["diff"], ["schema"], ["schema", "tenant"], ["schema", "gateway"],
    ["schema", "reference"], ["tenant"], ["tenant", "new"], ["plugin"], ["plugin", "list"], ["token"],
    ["token", "inspect"], ["token", "revoke"],
    ["apple"], ["apple", "transfer"], ["user"], ["user", "show"], ["user", "export"], ["user", "delete"], ["keys"],
    ["keys", "list"], ["keys", "rotate"],
    ["sandbox"], ["store"], ["store", "migrate"], ["store", "check"],
  ]

  @Test("--help tells usage, options and an example at each level", arguments: commands)
  func eachLevel(_ words: [String]) throws {
    let result = try CommandResult.run([Built.command] + words + ["--help"])
    #expect(result.exitCode == 0)
    #expect(result.standardError.isEmpty)
    let path = (["speed-gateway"] + words).joined(separator: " ")
    #expect(result.standardOutput.hasPrefix("\(path) – "))
    #expect(result.standardOutput.contains("\nUsage: \(path) "))
    #expect(result.standardOutput.contains("\n  --config FILE"))
    #expect(result.standardOutput.contains("\nExample: speed-gateway "))
    #expect(result.standardOutput.split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test("help of a group lists its commands, and no command that is not there")
  func groups() throws {
    let text = try CommandResult.run([Built.command, "--help"]).standardOutput
    let listed = text.split(separator: "\n").drop { $0 != "Commands:" }.dropFirst().prefix { $0.hasPrefix("  ") }
    let names = listed.map { String($0.split(separator: " ")[0]) }
    #expect(
      names == [
        "serve", "check", "explain", "diff", "schema", "tenant", "plugin", "token", "user", "apple", "keys", "sandbox",
        "store",
      ])
    for name in names { #expect(try CommandResult.run([Built.command, name, "--help"]).exitCode == 0) }
  }

  @Test("--version tells the release")
  func version() throws {
    let result = try CommandResult.run([Built.command, "--version"])
    #expect(result.exitCode == 0)
    #expect(result.standardOutput.hasPrefix("speed-gateway ") && result.standardOutput.hasSuffix("\n"))
  }
}
