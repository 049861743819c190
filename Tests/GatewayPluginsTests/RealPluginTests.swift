import GatewayPlugins
import PluginTesting
import ProviderKit
import Testing

@Suite("Loading the real plugin")
struct RealPluginTests {
  @Test("the package's own plugin is found beside the executable, loaded, and known by name and route")
  func loads() throws {
    let catalog = PluginCatalog.load(folder: PluginWorkshop.ownPlugins, host: PluginWorkshop.host())
    let plugin = try #require(catalog.plugin(named: "apple-native"))
    #expect(plugin.failure == nil)
    #expect(plugin.provider?.manifest == ProviderManifest(name: "apple-native", version: "1.0.0"))
    #expect(plugin.settings == "apple")
    #expect(plugin.abi == .current)
    #expect(catalog.isComplete)
    #expect(catalog.plugin(method: "POST", path: "/api/platform/auth/apple-native")?.name == "apple-native")
    #expect(catalog.plugin(method: "GET", path: "/api/platform/auth/apple-native") == nil)
    #expect(catalog.methods(path: "/api/platform/auth/apple-native") == ["POST"])
    #expect(catalog.methods(path: "/api/platform/auth/me").isEmpty)
  }

  @Test("a loaded provider answers a call with this process's own types")
  func answers() async throws {
    let catalog = PluginCatalog.load(folder: PluginWorkshop.ownPlugins, host: PluginWorkshop.host())
    let provider = try #require(catalog.plugin(named: "apple-native")?.provider)
    let request = SignInRequest(
      app: AppDescription(appID: 1, name: "Alpha"), route: "/x", body: Array("{}".utf8), requestID: "r")
    let failure = await #expect(throws: ProviderFailure.self) {
      _ = try await provider.signIn(request, using: FakeServices())
    }
    #expect(failure?.code == "ios_not_configured")
  }

  @Test("a library beside its plugin.yaml goes before the one beside the executable")
  func besideManifest() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", library: "libAppleNative.so")
    #expect(workshop.load().plugins.map(\.failure) == [nil])
    try workshop.add("apple-native", libraryBytes: [1, 2, 3])
    try workshop.add("apple-native", library: "fixture.so")
    #expect(workshop.load().plugins.first?.failure?.contains("no 64-bit ELF shared object") == true)
  }

  @Test("a library that calls itself otherwise than plugin.yaml does is refused, with both names")
  func otherName() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("pear", library: "libAppleNative.so")
    try workshop.add("apple", called: "apple-native", version: "2.0.0", library: "libAppleNative.so")
    #expect(
      workshop.load().plugins.map(\.failure) == [
        "the library is apple-native 1.0.0, plugin.yaml says apple-native 2.0.0",
        "the library is apple-native 1.0.0, plugin.yaml says pear 1.0.0",
      ])
  }

  @Test("one bad plugin leaves the others loaded, and keeps its routes")
  func isolation() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", library: "libAppleNative.so")
    try workshop.add("broken", libraryBytes: [])
    let catalog = workshop.load()
    #expect(catalog.plugin(named: "apple-native")?.provider != nil)
    #expect(catalog.plugin(method: "POST", path: "/broken")?.failure != nil)
    #expect(!catalog.isComplete)
  }
}
