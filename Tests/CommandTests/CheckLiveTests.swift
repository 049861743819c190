import GatewayTesting
import Testing

/// What `check` shows while it works, and how it goes on.
@Suite("speed-gateway check, live") struct CheckLiveTests {
  private static func tenant(_ id: Int, _ line: String = "") -> String {
    TenantFile(id, "a\(id).localhost", bundleIDs: [], ports: [9001]).yaml
      .replacing("providers: [apple-native]\n", with: "") + line
  }

  @Test("--watch tells what a change does to the verdict, and what mends it")
  func watch() throws {
    let folder = try CommandFolder(tenants: ["a.yaml": Self.tenant(1)])
    let process = try ChildProcess(
      [Built.command, "check", "--watch"], environment: ["PATH": "/usr/bin:/bin"], folder: folder.path(""))
    #expect(process.waitForLine { $0 == "2 files: no problems" ? $0 : nil } != nil)
    try folder.write("tenants/a.yaml", Self.tenant(1, "nope: 1\n"))
    #expect(process.waitForLine { $0.contains("a.yaml:11:1: error: ") ? $0 : nil } != nil)
    #expect(process.waitForLine { $0 == "2 files: 1 error" ? $0 : nil } != nil)
    try folder.write("tenants/b.yaml", Self.tenant(1))
    #expect(process.waitForLine { $0 == "3 files: 1 error" ? $0 : nil } != nil)
    try folder.write("tenants/a.yaml", Self.tenant(1))
    #expect(process.waitForLine { $0.hasPrefix("mended: tenants/a.yaml:11:1: error: ") ? $0 : nil } != nil)
    // Both claim one number and one domain.
    #expect(process.waitForLine { $0 == "3 files: 2 errors" ? $0 : nil } != nil)
    #expect(process.isRunning)
    process.signal(2)
    #expect(process.waitForEnd() == .killed(2))
  }

  @Test("the progress of a long check is on a terminal alone, and goes when it is done")
  func progress() throws {
    let folder = try CommandFolder()
    // Each takes so long that the whole does not end before the bar comes.
    let long = (0..<250).map { "x-\($0): { a: [1, 2, 3, 4], b: { c: d, e: f } }\n" }.joined()
    for id in 1...400 { try folder.write("tenants/\(id).yaml", Self.tenant(id, long)) }
    let quiet = try folder.run("check")
    #expect(quiet.exitCode == 0 && quiet.standardError.isEmpty)
    #expect(quiet.standardOutput == "401 files: no problems\n")
    let shown = try folder.shell("script -qec \"$0 check 2>&1 >/dev/null\" /dev/null", environment: ["TERM": "xterm"])
    #expect(shown.standardOutput.contains(" of 400 files") && shown.standardOutput.hasSuffix("\r\u{1B}[K"))
  }

  @Test("--online hints at names without an address, and is no error")
  func names() throws {
    let folder = try CommandFolder(tenants: [
      "a.yaml": Self.tenant(1).replacing("http://127.0.0.1:9001", with: "http://nowhere.invalid:9001")
    ])
    #expect(try folder.run("check").standardOutput == "2 files: no problems\n")
    let result = try folder.run("check", "--online")
    #expect(result.exitCode == 0)
    #expect(result.standardOutput.contains("tenants/a.yaml:8:15: hint: the server `nowhere.invalid` has no address"))
    #expect(result.standardOutput.hasSuffix("2 files: 1 hint\n"))
    let github = try folder.run("check", "--online", "--format", "github")
    #expect(github.exitCode == 0 && github.standardOutput.hasPrefix("::notice file="))
  }

  @Test("--online hints at certificates that are absent or end, and at domains that none is for")
  func certificates() throws {
    let listeners = ["a", "b", "gone"].map { "{ certificate: \($0).pem, key: \($0).key }" }.joined(separator: ", ")
    let folder = try CommandFolder(
      "listen: [{ address: 127.0.0.1:0, tls: [\(listeners)] }]\n",
      tenants: [
        "a.yaml": Self.tenant(1).replacing("a1.localhost", with: "a.invalid"),
        "b.yaml": Self.tenant(2).replacing("a2.localhost", with: "b.invalid"),
        "c.yaml": Self.tenant(3).replacing("a3.localhost", with: "c.invalid"),
      ])
    for (name, days) in [("a", 90), ("b", 5)] {
      let made = try folder.shell(
        "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=\(name).invalid -days \(days)"
          + " -keyout \(name).key -out \(name).pem 2>/dev/null")
      try #require(made.exitCode == 0)
    }
    let result = try folder.run("check", "--online")
    #expect(result.exitCode == 0)
    let lines = result.standardOutput.split(separator: "\n").filter { $0.contains("(certificate_problem)") }
    #expect(lines.count == 3)
    #expect(lines.contains { $0.contains("gateway.yaml:2:") && $0.contains("ends within two weeks") })
    #expect(lines.contains { $0.contains("gone.pem") && $0.contains("it is not there") })
    #expect(lines.contains { $0.hasPrefix("tenants/c.yaml:3:11: hint: no certificate") })
  }
}
