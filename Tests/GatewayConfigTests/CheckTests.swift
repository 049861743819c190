import Foundation
import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct CheckTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("gateway.yaml", "log: { level: info }\n")
    try folder.write("tenants/a.yaml", tenant("appId: 1", "domains: [a.example]", "ios: { bundleIds: [com.a.b] }"))
    try folder.write("tenants/more/b.yml", tenant("appId: 2", "domains: [b.example]", "providers: [apple-nativ]"))
    try folder.write("tenants/.hidden.yaml", "nope")
    try folder.write("tenants/_draft.yaml", "nope")
    try folder.write("tenants/_drafts/c.yaml", "nope")
    try folder.write("tenants/README.md", "nope")
    try folder.write(
      "plugins/apple-native/plugin.yaml",
      "name: apple-native\nversion: 1.0.0\nlibrary: libAppleNative.so\nroutes: [{ method: POST, path: /api/x }]\n")
    return folder
  }

  private func check(
    _ folder: TemporaryFolder, _ paths: [String] = [], cache: TenantCache = TenantCache()
  ) async -> CheckResult {
    await ConfigurationCheck.run(
      gatewayPath: folder.path + "/gateway.yaml", paths: paths.map { "\(folder.path)/\($0)" }, environment: [:],
      cache: cache)
  }

  private func brief(_ result: CheckResult, _ folder: TemporaryFolder) -> [String] {
    result.problems.map { "\($0.file.replacing(folder.path + "/", with: "")):\($0.brief)" }
  }

  @Test("All files are judged: gateway, tenants with sub-folders, plugins; names with . and _ are left out")
  func everything() async throws {
    let folder = try folder()
    let result = await check(folder)
    #expect(result.files == 4)
    #expect(brief(result, folder) == ["tenants/more/b.yml:6:13 warning unknown_provider"])
    #expect(result.problems.first?.hint == "did you mean `apple-native`?")
    #expect(result.report.exitCode == 0)
  }

  @Test("An app that lists a plugin that sends mail is warned of, where the gateway has no relay")
  func silentProviders() async throws {
    let folder = try folder()
    try folder.write(
      "plugins/speed-web/plugin.yaml",
      "name: speed-web\nversion: 1.0.0\nlibrary: libSpeedWeb.so\nmail: true\n"
        + "routes: [{ method: GET, path: /platform/x, serves: pages }]\n")
    try folder.write(
      "tenants/more/b.yml", tenant("appId: 2", "domains: [b.example]", "providers: [apple-native, speed-web]"))
    #expect(await brief(check(folder), folder) == ["tenants/more/b.yml:6:27 warning missing_key"])
    #expect(
      await brief(check(folder, ["tenants/more/b.yml"]), folder) == ["tenants/more/b.yml:6:27 warning missing_key"])
    try folder.write("gateway.yaml", "mail: { smtp: smtps://mail.example.com, from: no-reply@example.com }\n")
    #expect(await check(folder).problems.isEmpty)
  }

  @Test("Given files are judged against all others, and only their problems are told")
  func selection() async throws {
    let folder = try folder()
    try folder.write("tenants/broken.yaml", "nope")
    let new = try folder.write("new.yaml", tenant("appId: 3", "domains: [A.example]", "ios: { bundleIds: [com.a.b] }"))
    let result = await check(folder, ["tenants/more/b.yml", "new.yaml"])
    #expect(result.files == 2 && result.problems.contains { $0.file == new })
    #expect(
      brief(result, folder) == [
        "new.yaml:3:11 error duplicate_domain", "tenants/more/b.yml:6:13 warning unknown_provider",
      ])
    #expect(await brief(check(folder, ["tenants"]), folder).contains("tenants/broken.yaml:1:1 error invalid_value"))
  }

  @Test("Given gateway and plugin files are judged as what they are; one that is absent is an error")
  func kinds() async throws {
    let folder = try folder()
    try folder.write("gateway.yaml", "nope: 1\n")
    try folder.write("plugins/apple-native/plugin.yaml", "name: x\n")
    #expect(await brief(check(folder, ["gateway.yaml"]), folder) == ["gateway.yaml:1:1 error unknown_key"])
    #expect(
      await check(folder, ["plugins/apple-native/plugin.yaml"]).problems.map(\.code) == [
        .missingKey, .missingKey, .missingKey,
      ])
    #expect(await brief(check(folder, ["gone.yaml"]), folder) == ["gone.yaml:1:1 error unreadable_file"])
  }

  @Test("A folder of tenants that is not there is a warning, and a loop of links is walked once")
  func folders() async throws {
    let folder = try folder()
    try folder.link("tenants/loop", to: folder.path + "/tenants")
    #expect(await check(folder).files == 4)
    // It leads to gateway.yaml too, and one to the root of all would to everything.
    try folder.link("tenants/up", to: folder.path)
    try folder.link("tenants/root", to: "/")
    #expect(await check(folder).files == 4)
    let empty = try TemporaryFolder()
    try empty.write("gateway.yaml", "log: {}\n")
    #expect(await brief(check(empty), empty) == ["tenants:0:0 warning unreadable_file"])
    #expect(
      await check(empty).report.rendered(.text).contains("/tenants: warning: the folder can't be read: it is not there")
    )
  }

  @Test("With a cache a changed file is read again, one whose secret came too, and the report tells what changed")
  func cache() async throws {
    let folder = try folder()
    let cache = TenantCache()
    let lines = "serverKeys: [{ id: main, file: key }]"
    try folder.write("tenants/c.yaml", tenant("appId: 3", "domains: [c.example]", lines))
    let first = await check(folder, cache: cache).report
    #expect(first.problems.map(\.code) == [.secretMissing, .unknownProvider])
    #expect(await check(folder, cache: cache).report.change(since: first).gone.isEmpty)
    try folder.write("tenants/key", "secret")
    try folder.write("tenants/a.yaml", "nope: 1\n")
    let change = await check(folder, cache: cache).report.change(since: first)
    #expect(change.gone.map(\.code) == [.secretMissing])
    #expect(Set(change.new.problems.map(\.code)) == [.unknownKey, .missingKey])
  }

  @Test("What is asked for is read in parts on all cores, in order, with its progress told")
  func parts() async throws {
    let folder = try TemporaryFolder()
    for id in 1...200 { try folder.write("t/\(id).yaml", tenant("appId: \(id)", "domains: [a\(id).example]")) }
    let told = Locked<[Int]>([])
    let files = await TenantCache().files(below: folder.path + "/t", environment: [:]) { done, total in
      told.withLock { $0.append(done) }
      #expect(total == 200)
    }
    #expect(files.map(\.path) == TenantFolder.list(folder.path + "/t").paths)
    #expect(told.withLock { $0.max() } == 200)
  }

  @Test("The place of each key is found in the file, and that of a default nowhere")
  func places() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.yaml", tenant("domains: [a.example, B.example]"))
    let places = FilePlaces(file: path)
    #expect(places.place("domains", 1) == "\(path):3:22")
    #expect(places.domain(HostName(literal: "b.example")) == 1)
    #expect(places.route("/") == 0)
    #expect(places.place("routes", 0, "backend") == "\(path):5:30")
    #expect(places.place("routes", 0, "auth") == nil && places.place("routes", 7) == nil)
    #expect(FilePlaces(file: path + "x").place("domains") == nil)
  }

  @Test("The example tenants of the project check without a problem of their own")
  func examples() {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let (files, problems) = TenantFolder.load(root + "/tenants", environment: [:])
    let set = TenantSet.assemble(files, reserved: gateway("log: {}").configuration.reservedHosts)
    #expect(problems.isEmpty && files.count >= 2 && set.problems.isEmpty)
  }
}

@Suite struct PluginManifestTests {
  private let good = """
    name: apple-native
    version: 1.2.0
    library: libAppleNative.so
    description: Sign in with Apple in native apps.
    settings: apple
    routes:
      - { method: POST, path: /api/platform/auth/apple-native }
    """

  private func read(_ yaml: String) -> (PluginManifest?, [Problem]) {
    PluginManifest.read("plugin.yaml", bytes: Array(yaml.utf8))
  }

  @Test("A manifest names the plugin, its library, its routes and its settings")
  func manifest() {
    let (manifest, problems) = read(good)
    #expect(problems.isEmpty)
    #expect(
      manifest
        == PluginManifest(
          name: "apple-native", version: "1.2.0", library: "libAppleNative.so",
          summary: "Sign in with Apple in native apps.",
          routes: [PluginRoute(method: "POST", path: "/api/platform/auth/apple-native")], settings: "apple"))
  }

  @Test(
    "A library outside the plugin's folder, a version that is none and a route given twice are refused",
    arguments: [
      ("library: libAppleNative.so", "library: ../evil.so"), ("library: libAppleNative.so", "library: /tmp/evil.so"),
      ("library: libAppleNative.so", "library: evil"), ("version: 1.2.0", "version: 1.2"),
      ("version: 1.2.0", "version: 01.2.0"),
      ("settings: apple", "settings: a/b"), ("name: apple-native", "name: ../x"),
      ("routes:", "routes:\n  - { method: POST, path: /api/platform/auth/apple-native }"),
      ("method: POST", "method: post"),
    ])
  func refused(part: String, replacement: String) {
    let (manifest, problems) = read(good.replacing(part, with: replacement))
    #expect(manifest == nil && problems.map(\.code) == [.invalidValue])
  }

  @Test("What a browser is shown is below /platform/, and pages are looked at and posted to alone")
  func pages() {
    for (route, isGood) in [
      ("method: GET, path: /platform/x, serves: pages", true), ("method: POST, path: /platform/x, serves: pages", true),
      ("method: GET, path: /platform/x, serves: web", true), ("method: PUT, path: /platform/x, serves: pages", false),
      ("method: GET, path: /x, serves: pages", false), ("method: GET, path: /x, serves: web", false),
      ("method: POST, path: /api/platform/x, serves: callback", false),
      ("method: GET, path: /platform/x/, serves: pages", false),
    ] {
      let (manifest, problems) = read(
        good.replacing("method: POST, path: /api/platform/auth/apple-native", with: route))
      #expect((manifest != nil) == isGood && problems.map(\.code) == (isGood ? [] : [.invalidValue]), "\(route)")
    }
  }

  @Test("A manifest that is not there is one problem")
  func absent() {
    let (manifest, problems) = PluginManifest.read("/nonexistent/plugin.yaml")
    #expect(manifest == nil && problems.map(\.code) == [.unreadableFile])
  }
}

@Suite struct SchemaTests {
  private static let schemas = [
    TenantKeys.schema, RouteKeys.schema, BackendKeys.schema, IOSKeys.schema, GatewayKeys.schema, PlatformKeys.schema,
    StoreKeys.schema, AppleKeys.schema, LimitKeys.schema, DrainKeys.schema, LogKeys.schema, PluginKeys.schema,
  ]

  @Test(
    "Each key has one sentence for the reference, required ones an example, and no key stands twice",
    arguments: schemas.indices)
  func rows(index: Int) {
    let schema = Self.schemas[index]
    #expect(Set(schema.rows.map(\.name)).count == schema.rows.count)
    for row in schema.rows {
      #expect(row.summary.hasSuffix(".") && row.summary.count <= 140, "\(row.name)")
      #expect(!row.isRequired || row.example != nil, "\(row.name)")
    }
  }

  @Test("Every example and every default of the tenant's table is a good value")
  func examples() {
    for row in TenantKeys.schema.rows {
      for text in [row.example, row.defaultText].compactMap(\.self)
      where !text.contains("none") && !text.contains("any") {
        #expect(problems(tenant("\(row.name): \(text)")).errors.isEmpty, "\(row.name): \(text)")
      }
    }
  }
}
