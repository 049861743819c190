import GatewayIdentity
import GatewayTesting
import Testing

@Suite("speed-gateway keys") struct KeyCommandTests {
  /// The rows of `keys list`.
  private func rows(_ folder: CommandFolder) throws -> [[Substring]] {
    let result = try folder.run("keys", "list")
    #expect(result.exitCode == 0)
    return result.standardOutput.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
  }

  @Test("list makes no key and no folder")
  func emptyList() throws {
    let folder = try CommandFolder()
    let result = try folder.run("keys", "list")
    #expect(result.exitCode == 0)
    #expect(result.standardOutput.hasPrefix("no keys"))
    #expect(try folder.shell("ls var").exitCode != 0)
  }

  @Test("rotate makes the first key")
  func firstKey() throws {
    let folder = try CommandFolder()
    #expect(try folder.run("keys", "rotate").exitCode == 0)
    let rows = try rows(folder)
    #expect(rows.count == 1 && rows[0].last == "signing")
  }

  @Test("rotate makes a key that signs, and the one before verifies until its tokens end")
  func rotate() throws {
    let folder = try CommandFolder()
    try #require(try folder.run("keys", "rotate").exitCode == 0)
    let old = try #require(try rows(folder).first?.first)
    let result = try folder.run("keys", "rotate")
    #expect(result.exitCode == 0)
    let rows = try rows(folder)
    #expect(rows.count == 2 && rows[0].last == "signing" && rows[0][0] != old)
    #expect(rows[1].first == old && rows[1][2] == "verifying,")
    #expect(result.standardOutput.hasPrefix("\(rows[0][0]) signs"))
  }

  @Test("no key is ever printed")
  func secrecy() throws {
    let folder = try CommandFolder()
    for words in [["rotate"], ["rotate"], ["list"]] {
      let result = try CommandResult.run([Built.command, "keys"] + words, folder: folder.path(""))
      #expect(!(result.standardOutput + result.standardError).contains("PRIVATE"))
    }
  }

  @Test("a key file that others may read is named, exit 1")
  func openFile() throws {
    let folder = try CommandFolder()
    try #require(try folder.run("keys", "rotate").exitCode == 0)
    try #require(try folder.shell("chmod 644 var/keys/*.pem").exitCode == 0)
    for command in ["list", "rotate"] {
      let result = try folder.run("keys", command)
      #expect(result.exitCode == 1)
      #expect(result.complaints.count == 1 && result.standardError.contains(".pem: "))
    }
  }
}
