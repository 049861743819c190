import GatewayPlugins
import ProviderKit
import Testing

@Suite("Libraries that are refused before any of their code runs")
struct DamagedLibraryTests {
  @Test("a missing library is one line that names the places")
  func missing() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("lost", library: "libLost.so")
    let failure = try #require(workshop.load().plugins.first?.failure)
    #expect(failure.hasPrefix("libLost.so is missing: looked for in "))
    #expect(failure.contains("/lib/speed-gateway/plugins/lost"))
    #expect(!failure.contains("\n"))
  }

  @Test("a library's name can't lead out of its folder", arguments: ["../libAppleNative.so", "/lib/x.so", ".."])
  func traversal(library: String) throws {
    let workshop = try PluginWorkshop()
    try workshop.add("sly", library: library)
    #expect(workshop.load().plugins.first?.failure?.contains("is not the name of a library") == true)
  }

  @Test("garbage is no library", arguments: [0, 1, 7, 64, 4096])
  func garbage(count: Int) throws {
    let workshop = try PluginWorkshop()
    try workshop.add("garbage", libraryBytes: [UInt8](repeating: 0xA5, count: count))
    #expect(workshop.load().plugins.first?.failure == "the library is no 64-bit ELF shared object")
  }

  @Test("the real library cut anywhere is truncated, not loaded")
  func truncated() throws {
    let whole = try PluginWorkshop.appleLibraryBytes()
    let workshop = try PluginWorkshop()
    for (index, length) in [18, 63, 64, 1000, whole.count / 2, whole.count - 64, whole.count - 1].enumerated() {
      try workshop.add("cut\(index)", libraryBytes: Array(whole.prefix(length)))
    }
    let failures = workshop.load().plugins.map(\.failure)
    #expect(failures == Array(repeating: "the library is truncated or damaged", count: 7))
  }

  @Test("a folder or a named pipe in the library's place is no regular file")
  func folderAsLibrary() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("folder", library: "libPipe.so")
    try workshop.makePipe("\(workshop.folder)/folder/libPipe.so")
    #expect(workshop.load().plugins.first?.failure?.hasSuffix("it is not a regular file") == true)
  }

  @Test("a library without the note is refused with what it lacks")
  func noNote() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("plain", library: "libProviderNoteLess.so")
    try workshop.add("plain", bareC: "int speed_provider_entry(void) { return 0; }")
    #expect(workshop.load().plugins.first?.failure?.contains("has no note .note.speedgw") == true)
  }

  @Test(
    "another kit, architecture or compiler is refused, with both sides in the message",
    arguments: [
      ProviderABI(kit: "99", architecture: ProviderABI.current.architecture, compiler: ProviderABI.current.compiler),
      ProviderABI(kit: ProviderABI.current.kit, architecture: "riscv64", compiler: ProviderABI.current.compiler),
      ProviderABI(kit: ProviderABI.current.kit, architecture: ProviderABI.current.architecture, compiler: "gcc 12"),
    ])
  func foreign(abi: ProviderABI) throws {
    let workshop = try PluginWorkshop()
    // The constructor would end this process, were the library loaded.
    try workshop.add("foreign", c: "__attribute__((constructor)) static void f(void) { __builtin_trap(); }", abi: abi)
    let own = ProviderABI.current
    #expect(
      workshop.load().plugins.first?.failure
        == "the library is built for kit \(abi.kit), \(abi.architecture), \(abi.compiler), this gateway for "
        + "kit \(own.kit), \(own.architecture), \(own.compiler): build the plugin again")
  }
}
