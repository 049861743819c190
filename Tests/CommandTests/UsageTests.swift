import GatewayTesting
import Testing

@Suite("Usage of the command") struct UsageTests {
  private static let wrong = [
    [], ["nonsense"], ["token"], ["token", "nonsense"], ["serve", "--nonsense"], ["serve", "x"], ["serve", "-x"],
    ["serve", "--config"], ["serve", "--config="], ["serve", "--config", "--help"], ["check", "--format", "xml"],
    ["check", "--format=json", "--format=text"], ["token", "inspect"], ["token", "inspect", "a", "b"],
    ["token", "revoke"],
    ["token", "revoke", "a", "--jti", "b"], ["token", "revoke", "--user", "a"], ["token", "revoke", "--app", "1"],
    ["token", "revoke", "--user", "a", "--app", "x"], ["token", "revoke", "--jti", "a b"], ["keys", "list", "x"],
    ["user", "show"], ["user", "show", "a b"], ["user", "export", "a/b"], ["user", "delete", "a", "--app", "0"],
    ["apple", "transfer"], ["apple", "transfer", "--app", "x"],
    ["check", "--watch=yes"], ["check", "--watch", "--watch"], ["check", "--watch", "--format", "json"],
    ["check", "--watch", "--online"], ["schema"], ["schema", "tenant", "x"], ["tenant", "new"],
    ["tenant", "new", "a", "b"], ["tenant", "new", "../a"], ["explain"], ["explain", "GET"],
    ["explain", "GET", "notes.localhost"], ["explain", "GET", "ftp://a/"], ["explain", "G T", "http://a/"],
    ["explain", "GET", "http:///"], ["explain", "GET", "http://a/", "--header", "x"],
    ["explain", "GET", "http://a/", "--header", "X: a\r\nY: b"], ["explain", "GET", "http://a/", "--from", "x"],
    ["explain", "GET", "http://a/", "--format", "github"], ["diff", "a", "b", "c"], ["diff", "--git", "HEAD", "a"],
    ["--format", "json", "check"], ["store", "--version"],
  ]

  @Test("wrong usage is exit 2 and one line on standard error that says where to read more", arguments: wrong)
  func wrongUsage(_ arguments: [String]) throws {
    let result = try CommandResult.run([Built.command] + arguments)
    #expect(result.exitCode == 2)
    #expect(result.standardOutput.isEmpty)
    #expect(result.complaints.count == 1)
    #expect(result.standardError.hasPrefix("speed-gateway") && result.standardError.contains(" --help\n"))
  }

  @Test("an unknown command is named beside those that there are")
  func unknownCommand() throws {
    let line = try CommandResult.run([Built.command, "kesy"]).standardError
    #expect(line.contains("\"kesy\"") && line.contains("keys"))
  }

  @Test("a token in the wrong place is not repeated")
  func secretInWrongPlace() throws {
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"
    for arguments in [[token], ["token", token], ["serve", token], ["token", "inspect", "a", token], ["--\(token)"]] {
      let result = try CommandResult.run([Built.command] + arguments)
      #expect(result.exitCode == 2)
      #expect(!result.standardError.contains("eyJ"))
    }
  }

  @Test("--config works before and behind the words of a command, and with =")
  func configAnywhere() throws {
    let folder = try CommandFolder()
    let absent = folder.path("absent.yaml")
    for arguments in [
      ["--config", absent, "keys", "list"], ["keys", "--config=\(absent)", "list"],
      ["keys", "list", "--config", absent],
    ] {
      let result = try CommandResult.run([Built.command] + arguments, folder: folder.path(""))
      #expect(result.exitCode == 1)
      #expect(result.standardError.contains("absent.yaml"))
    }
  }

  @Test("a configuration that can't be used is told with its place, and exit 1")
  func unusableConfiguration() throws {
    let folder = try CommandFolder("nonsense: 1\n")
    for words in [["keys", "list"], ["store", "check"], ["plugin", "list"], ["token", "inspect", "x"]] {
      let result = try CommandResult.run([Built.command] + words, folder: folder.path(""))
      #expect(result.exitCode == 1)
      #expect(result.standardOutput.isEmpty)
      #expect(
        result.standardError.contains("gateway.yaml:2:1: error: ") && result.standardError.contains("unknown_key"))
    }
  }

  @Test("a result that can't be written is exit 1")
  func fullDisk() throws {
    let result = try CommandFolder().shell("exec \"$0\" --help > /dev/full")
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1)
  }
}
