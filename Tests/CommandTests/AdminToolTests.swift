import GatewayTesting
import Testing

/// `schema`, `tenant new` and `diff`.
@Suite("Tools of an admin") struct AdminToolTests {
  private static func tenant(_ id: Int, _ line: String = "") -> String {
    TenantFile(id, "a\(id).localhost", bundleIDs: [], ports: [9001]).yaml
      .replacing("providers: [apple-native]\n", with: "") + line
  }

  @Test("schema prints a JSON Schema of each file, and the reference", arguments: ["tenant", "gateway"])
  func schema(_ kind: String) throws {
    let result = try CommandResult.run([Built.command, "schema", kind])
    #expect(result.exitCode == 0 && result.standardError.isEmpty)
    let schema = try JSON(parsing: Array(result.standardOutput.utf8))
    #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema" && schema["type"] == "object")
    #expect(schema["properties"].names.contains(kind == "tenant" ? "appId" : "listen"))
    let reference = try CommandResult.run([Built.command, "schema", "reference"])
    #expect(reference.standardOutput.hasPrefix("# Configuration\n"))
  }

  @Test("tenant new writes a file that checks, with a free app ID and the schema beside it, and overwrites none")
  func newTenant() throws {
    let folder = try CommandFolder(tenants: ["a.yaml": Self.tenant(1), "bad.yaml": Self.tenant(2, "nope: 1\n")])
    let made = try folder.run("tenant", "new", "shop")
    #expect(made.exitCode == 0 && made.standardOutput == "tenants/shop.yaml: app 3 at shop.localhost\n")
    #expect(try folder.run("check", "tenants/shop.yaml").standardOutput == "1 file: no problems\n")
    let text = try folder.shell("cat tenants/shop.yaml").standardOutput
    #expect(text.hasPrefix("# yaml-language-server: $schema=.tenant.schema.json\n"))
    #expect(
      try folder.shell("cat tenants/.tenant.schema.json").standardOutput
        == folder.run("schema", "tenant").standardOutput)
    #expect(try folder.shell("ls -A tenants").standardOutput == ".tenant.schema.json\na.yaml\nbad.yaml\nshop.yaml\n")
    let again = try folder.run("tenant", "new", "shop")
    #expect(again.exitCode == 1 && again.complaints.count == 1 && again.standardOutput.isEmpty)
    #expect(try folder.shell("cat tenants/shop.yaml").standardOutput == text)
  }

  @Test("tenant new makes the folder of tenants where there is none")
  func firstTenant() throws {
    let folder = try CommandFolder("tenants: apps\n")
    #expect(try folder.run("tenant", "new", "shop").exitCode == 0)
    #expect(try folder.run("explain", "GET", "http://shop.localhost/public/").exitCode == 0)
  }

  @Test("diff of two folders tells files, keys with places and what is refused")
  func folders() throws {
    let folder = try CommandFolder(tenants: ["a.yaml": Self.tenant(1), "b.yaml": Self.tenant(2)])
    try folder.write("next/a.yaml", Self.tenant(1, "methodOverride: true\n"))
    try folder.write("next/c.yaml", Self.tenant(3))
    let good = try folder.run("diff", "next")
    #expect(good.exitCode == 0)
    let lines = good.standardOutput.split(separator: "\n")
    #expect(lines.first == "~ next/a.yaml  app 1, App 1")
    #expect(lines.contains { $0.hasPrefix("    + methodOverride  true  next/a.yaml:11:17") })
    #expect(lines.contains("- tenants/b.yaml  app 2, App 2: its app ends"))
    #expect(lines.contains("+ next/c.yaml  app 3, App 3: its app begins"))
    #expect(lines.last == "1 added, 1 removed, 1 changed")
    #expect(try folder.run("diff", "tenants", "next").standardOutput == good.standardOutput)
    try folder.write("next/a.yaml", Self.tenant(1, "nope: 1\n"))
    let bad = try folder.run("diff", "next", "--format", "json")
    #expect(bad.exitCode == 1)
    let file = try JSON(parsing: Array(bad.standardOutput.utf8))["files"][0]
    #expect(file["state"] == "stale" && file["problems"][0]["code"] == "unknown_key")
    #expect(try folder.run("diff", "next/c.yaml").standardOutput.hasSuffix("\n1 added\n"))
    #expect(try folder.run("diff", "tenants").standardOutput == "no change\n")
    #expect(try folder.run("diff", "absent").exitCode == 1)
  }

  @Test("diff asks the running gateway which files it does not run as the folder has them")
  func running() throws {
    let admin = try ScriptedBackend { exchange in
      let stale = #"{"file":"tenants/a.yaml","state":"stale","since":"2026-01-02T03:04:05Z","problems":[]}"#
      let list = exchange.request.target.contains("state=stale") ? stale : ""
      try exchange.reply(
        200, body: Array(#"{"files":{"ok":1,"stale":1,"refused":0},"folders":[],"tenants":[\#(list)]}"#.utf8))
    }
    let folder = try CommandFolder(
      "admin: { address: 127.0.0.1:\(admin.port), tokenEnv: ADMIN }\n", tenants: ["a.yaml": Self.tenant(1)])
    let result = try folder.run("diff", "tenants", environment: ["ADMIN": "hush"])
    #expect(result.exitCode == 0)
    #expect(
      result.standardOutput == """
        no change
        the gateway at 127.0.0.1:\(admin.port) has 1 ok, 1 stale, 0 refused
          tenants/a.yaml: stale since 2026-01-02T03:04:05Z: an older version of it runs

        """)
    #expect(admin.requests.allSatisfy { $0.fields["Authorization"] == "Bearer hush" })
    let json = try JSON(parsing: Array(try folder.run("diff", "tenants", "--format=json").standardOutput.utf8))
    #expect(json["running"]["counts"]["stale"] == 1)
    admin.kill()
    #expect(try folder.run("diff", "tenants").standardOutput == "no change\n")
  }

  @Test("diff and explain say that who had a domain first is left out where the store can't be asked")
  func storeAway() throws {
    let folder = try CommandFolder(tenants: ["a.yaml": Self.tenant(1)])
    let away = ["SPEED_STORE_URL": "mariadb://nobody@127.0.0.1:1/none"]
    let note = "who had a domain first is left out, as the store can't tell: "
    let diff = try folder.run("diff", "tenants", environment: away)
    #expect(diff.exitCode == 0 && diff.standardOutput.hasPrefix("no change\n\(note)"))
    let json = try folder.run("diff", "tenants", "--format=json", environment: away)
    #expect(try JSON(parsing: Array(json.standardOutput.utf8))["claimsUnknown"].string?.isEmpty == false)
    #expect(try folder.run("explain", "GET", "http://a.test/", environment: away).standardOutput.contains("\n\(note)"))
    #expect(try !folder.run("explain", "GET", "http://a.test/").standardOutput.contains(note))
  }

  @Test("diff without a path tells what has changed since git has it")
  func git() throws {
    let long = String(repeating: "long-name-", count: 15)
    let folder = try CommandFolder(tenants: ["a.yaml": Self.tenant(1), "\(long).yaml": Self.tenant(2)])
    #expect(try folder.run("diff").exitCode == 1)
    let committed = try folder.shell(
      "git init -q . && git add -A && git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -qm a")
    try #require(committed.exitCode == 0)
    #expect(try folder.run("diff").standardOutput == "no change\n")
    try folder.write("tenants/a.yaml", Self.tenant(1, "paths: opaque\n"))
    _ = try folder.shell("rm tenants/long*")
    let result = try folder.run("diff", "--git", "HEAD")
    #expect(result.exitCode == 0)
    #expect(
      result.standardOutput.hasPrefix("~ tenants/a.yaml  app 1, App 1\n    + paths  opaque  tenants/a.yaml:11:8\n"))
    #expect(result.standardOutput.contains("- HEAD:tenants/\(long).yaml  app 2"))
    #expect(try folder.run("diff", "--git=--output=x").exitCode == 1)
  }
}
