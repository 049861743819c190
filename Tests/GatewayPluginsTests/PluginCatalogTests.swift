import GatewayPlugins
import Testing

@Suite("The catalog of plugins")
struct PluginCatalogTests {
  @Test("an absent folder holds no plugins, and nothing is wrong with that")
  func absent() {
    let catalog = PluginCatalog.load(folder: "/nonexistent", host: PluginWorkshop.host())
    #expect(catalog.plugins.isEmpty)
    #expect(catalog.isComplete)
    #expect(PluginTable.text(catalog) == "no plugins\n")
  }

  @Test("a file in the folder's place is told")
  func fileAsFolder() throws {
    let catalog = PluginCatalog.load(folder: "/proc/self/exe", host: PluginWorkshop.host())
    #expect(catalog.folderFailure == "the folder /proc/self/exe can't be read: Not a directory")
    #expect(!catalog.isComplete)
  }

  @Test("a folder without plugin.yaml is no plugin; one with a bad plugin.yaml is a failed one")
  func manifests() throws {
    let workshop = try PluginWorkshop()
    try workshop.write("", to: "notes/README.md")
    try workshop.write("version: 1", to: "half/plugin.yaml")
    let catalog = workshop.load()
    #expect(catalog.plugins.map(\.name) == ["half"])
    #expect(catalog.plugins.first?.failure?.hasPrefix("plugin.yaml: ") == true)
  }

  @Test("a folder that is put aside by its name is no plugin, as for check", arguments: [".aside", "_aside"])
  func putAside(name: String) throws {
    let workshop = try PluginWorkshop()
    try workshop.write("version: 1", to: "\(name)/plugin.yaml")
    let catalog = workshop.load()
    #expect(catalog.plugins.isEmpty && catalog.isComplete)
  }

  @Test("a name and a route belong to the first plugin by folder name")
  func duplicates() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("a", called: "apple-native", library: "libAppleNative.so", path: "/sign-in")
    try workshop.add("b", called: "apple-native", library: "libAppleNative.so", path: "/other")
    try workshop.add("c", library: "libAppleNative.so", path: "/sign-in")
    let catalog = workshop.load()
    #expect(
      catalog.plugins.map(\.failure) == [
        nil, "the plugin in \(workshop.folder)/a has the same name", "apple-native has the route POST /sign-in already",
      ])
    #expect(catalog.plugin(named: "apple-native")?.provider != nil)
    #expect(catalog.plugin(method: "POST", path: "/sign-in")?.provider != nil)
  }

  @Test("more plugins than the limit are reported, the rest is loaded")
  func limit() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", library: "libAppleNative.so")
    for index in 0..<64 { try workshop.add("p\(index)", libraryBytes: []) }
    let catalog = workshop.load()
    #expect(catalog.plugin(named: "apple-native")?.provider != nil)
    #expect(catalog.plugins.filter { $0.failure == "there are more than 64 plugins" }.count == 1)
  }

  @Test("the table shows name, version, ABI and state in columns")
  func table() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", library: "libAppleNative.so")
    try workshop.add("broken", version: "0.1", library: "x.so")
    try workshop.add("broken", libraryBytes: [])
    let lines = PluginTable.text(workshop.load()).split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0].hasPrefix("NAME          VERSION  ABI"))
    #expect(lines[1].hasPrefix("apple-native  1.0.0    kit 5, "))
    #expect(lines[1].hasSuffix("  loaded"))
    #expect(lines[2].hasPrefix("broken        1.0.0    - "))
    #expect(lines[2].hasSuffix("  failed: the library is no 64-bit ELF shared object"))
  }
}
