import GatewayTesting
import Testing

/// Plugins whose files change while the gateway runs.
@Suite("Plugin reload") struct PluginReloadTests {
  private static let library = "apple-native/libAppleNative.so"
  private static let manifest = "apple-native/plugin.yaml"

  private let stage: Stage
  private let plugins: TemporaryFolder
  private let gateway: GatewayProcess
  private let yaml: String

  init() throws {
    stage = try Stage.shared()
    plugins = try TemporaryFolder()
    yaml = String(decoding: try FileBytes.read("\(Built.package)/plugins/\(Self.manifest)"), as: UTF8.self)
    let tenant = TenantFile(402, "reload.localhost", bundleIDs: ["com.example.reload"], ports: [stage.backend.port])
    gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: stage.sandbox.keysURL, tenants: ["a.yaml": tenant.yaml], sections: ["plugins": plugins.path]))
  }

  private func signIn() throws -> Int {
    try gateway.signIn(app: 402, try stage.sandbox.token(TokenRequest(audience: "com.example.reload"))).status
  }

  private func install() throws {
    try plugins.write(Self.library, try FileBytes.read("\(Built.folder)/libAppleNative.so"))
    try plugins.write(Self.manifest, yaml)
  }

  private func waitForLine(_ words: String...) -> Bool {
    gateway.process.waitForLine { line in words.allSatisfy { line.contains($0) } ? true : nil } == true
  }

  @Test("a plugin that is added, overwritten with garbage, mended or removed is taken up without a restart")
  func files() throws {
    #expect(try signIn() == 503)
    try install()
    #expect(try eventually { try signIn() == 200 })
    // In place, as `cp` does it: what runs is a copy.
    let path = plugins.path(Self.library)
    #expect(try CommandResult.run(["sh", "-c", "head -c 300000 /dev/zero > \(path)"]).exitCode == 0)
    #expect(waitForLine("a changed plugin can't be loaded", "apple-native", "no 64-bit ELF"))
    #expect(try signIn() == 200)
    #expect(try gateway.command("plugin", "list").exitCode == 1)
    try install()
    let loaded = #"a plugin is loaded"#
    #expect(eventually { gateway.process.lines.count { $0.contains(loaded) } == 2 })
    #expect(try signIn() == 200)
    try plugins.write(Self.manifest, yaml.replacing("auth/apple-native", with: "auth/apple-moved"))
    #expect(try eventually { try signIn() != 200 })
    try plugins.write(Self.manifest, yaml)
    #expect(try eventually { try signIn() == 200 })
    #expect(try CommandResult.run(["rm", "-r", plugins.path("apple-native")]).exitCode == 0)
    #expect(waitForLine("a plugin is gone", "apple-native"))
    #expect(try signIn() == 503)
  }

  @Test("a plugin that sends mail from now on is told where no mail relay is configured")
  func mail() throws {
    try install()
    #expect(try eventually { try signIn() == 200 })
    try plugins.write(Self.manifest, yaml + "\nmail: true\n")
    #expect(waitForLine("a plugin sends mail, and no mail relay is configured", "apple-native"))
  }

  @Test("SIGHUP takes plugins up at once")
  func hangUp() throws {
    try install()
    gateway.process.signal(1)
    #expect(try eventually { try signIn() == 200 })
  }
}
