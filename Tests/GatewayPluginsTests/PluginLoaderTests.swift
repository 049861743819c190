import GatewayBase
import Glibc
import ProviderKit
import Testing

@testable import GatewayPlugins

@Suite("Plugins that change") struct PluginLoaderTests {
  private func loader(_ workshop: PluginWorkshop) -> PluginLoader {
    PluginLoader(folder: workshop.folder, host: PluginWorkshop.host())
  }

  @Test("a plugin that did not change is not loaded again, and one that comes back neither")
  func same() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", libraryBytes: PluginWorkshop.appleLibraryBytes())
    let loader = loader(workshop)
    let first = loader.load().plugins
    #expect(first.map(\.failure) == [nil])
    try workshop.add("apple-native", libraryBytes: PluginWorkshop.appleLibraryBytes())
    #expect(loader.load().plugins.map(\.load) == first.map(\.load))
    try workshop.add("apple-native", libraryBytes: PluginWorkshop.appleLibraryBytes() + [0])
    #expect(loader.load().plugins.map(\.load) == [2])
    #expect(loader.libraries == 2)
    try workshop.add("apple-native", libraryBytes: PluginWorkshop.appleLibraryBytes())
    #expect(loader.load().plugins.map(\.load) == [3])
    #expect(loader.libraries == 2)
  }

  @Test("a plugin that can't be used any more goes on as it was, and says why")
  func lastGood() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", libraryBytes: PluginWorkshop.appleLibraryBytes())
    let loader = loader(workshop)
    loader.load()
    for fault in ["bytes", "version", "yaml"] {
      switch fault {
      case "bytes": try workshop.add("apple-native", libraryBytes: [1, 2, 3])
      case "version": try workshop.add("apple-native", version: "9.0.0", library: "libAppleNative.so")
      default: try workshop.write("name: [", to: "apple-native/plugin.yaml")
      }
      let plugin = try #require(loader.load().plugins.first)
      #expect(plugin.provider != nil && plugin.failure == nil && plugin.rejection != nil, "\(fault)")
      #expect(plugin.version == "1.0.0" && plugin.routes.map(\.path) == ["/apple-native"])
    }
  }

  @Test("a newcomer does not take the name or the route of a plugin that serves, whatever its folder is called")
  func newcomer() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("b", called: "apple-native", library: "libAppleNative.so")
    let loader = loader(workshop)
    loader.load()
    try workshop.add("a", called: "apple-native", library: "libAppleNative.so")
    let plugins = loader.load().plugins
    #expect(plugins.map { $0.failure == nil } == [false, true])
    #expect(plugins.map(\.rejection) == [nil, nil])
  }

  @Test("copies are for this user alone, and go with their loader")
  func copies() throws {
    let copies = LibraryCopies(executableFolder: "/nowhere")
    let path = try copies.path(of: [1, 2], plugin: "p", original: "/nowhere/lib.so")
    #expect(try copies.path(of: [1, 2], plugin: "p", original: "/nowhere/lib.so") == path)
    #expect(try copies.path(of: [1, 3], plugin: "p", original: "/nowhere/lib.so") != path)
    let folder = path.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    var status = stat()
    #expect(unsafe stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    copies.remove()
    #expect(unsafe access(folder, F_OK) != 0)
  }

  @Test("a process that takes in library after library is told to restart in the end")
  func bounded() throws {
    let copies = LibraryCopies(executableFolder: "/nowhere")
    for number in 0..<Limits.pluginCopies {
      let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
      _ = try copies.path(of: bytes, plugin: "p\(number)", original: "/nowhere/lib.so")
    }
    #expect(throws: PluginFailure.self) { try copies.path(of: [9, 9], plugin: "p", original: "/nowhere/lib.so") }
  }
}
