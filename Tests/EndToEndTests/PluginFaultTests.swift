import GatewayTesting
import Testing

/// A plugin that can't be used stops its own sign-ins and nothing else.
@Suite("Plugin faults", .onEveryWire) struct PluginFaultTests {
  enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case missing, garbage, empty, cutShort, foreign

    var testDescription: String { rawValue }
  }

  /// A folder of plugins whose only one is broken in this way.
  private func plugins(_ fault: Fault) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var manifest = String(
      decoding: try FileBytes.read("\(Built.package)/plugins/apple-native/plugin.yaml"), as: UTF8.self)
    let library = "apple-native/libAppleNative.so"
    switch fault {
    case .missing: manifest = manifest.replacing("libAppleNative.so", with: "libNowhere.so")
    case .garbage: try folder.write(library, [UInt8](repeating: 0xA5, count: 5000))
    case .empty: try folder.write(library, [UInt8]())
    case .cutShort:
      try folder.write(library, Array(try FileBytes.read("\(Built.folder)/libAppleNative.so").prefix(20_000)))
    case .foreign: try folder.write(library, try FileBytes.read("/bin/sh"))
    }
    try folder.write("apple-native/plugin.yaml", manifest)
    return folder
  }

  @Test(
    "GW-119 a broken plugin file is one clear line, its sign-ins are 503, and the rest runs", arguments: Fault.allCases)
  func broken(fault: Fault) throws {
    let stage = try Stage.shared()
    let plugins = try plugins(fault)
    var tenant = TenantFile(401, "plugin.localhost", bundleIDs: ["com.example.plugin"], ports: [stage.backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    let gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: stage.sandbox.keysURL, tenants: ["a.yaml": tenant.yaml], sections: ["plugins": plugins.path]))
    let answer = try gateway.signIn(
      app: 401, try stage.sandbox.token(TokenRequest(audience: "com.example.plugin")))
    #expect(answer.status == 503)
    #expect(answer.errorCode == "provider_unavailable")
    #expect(answer.fields["Retry-After"] != nil)
    #expect(try gateway.exchange(HTTPRequest("GET", "/", host: "plugin.localhost")).status == 200)
    let told = gateway.process.lines.filter { $0.contains("apple-native") && $0.contains("\"level\":\"error\"") }
    #expect(told.count == 1)
    let list = try gateway.command("plugin", "list")
    #expect(list.exitCode == 1)
    let rows = list.standardOutput.split(separator: "\n").filter { $0.contains("apple-native") }
    #expect(rows.count == 1 && rows.first?.contains("failed") == true)
  }
}
