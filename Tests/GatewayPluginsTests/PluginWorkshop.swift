import Foundation
import GatewayPlugins
import ProviderKit

/// A folder of plugins made for one test, removed with it.
final class PluginWorkshop {
  let folder: String

  /// Where the build put the command, the real plugin and the tests.
  static let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
  /// The package's own plugins.
  static let ownPlugins = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/") + "/plugins"
  private static let tests = URL(fileURLWithPath: #filePath).pathComponents.dropLast(2).joined(separator: "/")
  static let appleLibrary = "\(built)/libAppleNative.so"

  init() throws {
    folder = NSTemporaryDirectory() + "/plugins-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Loads what is in the folder, with the built command for trial loads.
  func load(timeLimit: UInt64 = 60_000) -> PluginCatalog {
    PluginCatalog.load(folder: folder, host: Self.host(timeLimit: timeLimit))
  }

  static func host(timeLimit: UInt64 = 60_000) -> PluginHost {
    PluginHost(executable: "\(built)/speed-gateway", folder: built, timeLimit: timeLimit)
  }

  /// Writes the `plugin.yaml` of a plugin that serves `POST /<name>`.
  func add(_ name: String, called: String? = nil, version: String = "1.0.0", library: String, path: String? = nil)
    throws
  {
    let text = """
      name: \(called ?? name)
      version: \(version)
      library: \(library)
      routes:
        - { method: POST, path: \(path ?? "/\(name)") }

      """
    try write(text, to: "\(name)/plugin.yaml")
  }

  /// A plugin with these bytes as its library.
  func add(_ name: String, libraryBytes: [UInt8]) throws {
    try add(name, library: "fixture.so")
    try Data(libraryBytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)/fixture.so"))
  }

  /// A plugin whose library is compiled from C, with a note of this gateway unless another is given.
  func add(_ name: String, c source: String, abi: ProviderABI = .current) throws {
    try add(name, bareC: Self.note(abi) + source)
  }

  /// A plugin whose library is compiled from Swift, with a note of this gateway.
  func add(_ name: String, swift source: String) throws {
    try add(name, library: "fixture.so")
    let place = "\(folder)/\(name)"
    try write(Self.note(.current), to: "\(name)/note.c")
    try write(source, to: "\(name)/fixture.swift")
    try Self.run("cc", "-c", "-fPIC", "-o", "\(place)/note.o", "\(place)/note.c")
    try Self.run(
      "swiftc", "-emit-library", "-parse-as-library", "-module-name", "Fixture", "-o", "\(place)/fixture.so",
      "\(place)/fixture.swift", "\(place)/note.o")
  }

  /// The plugin that does what it is told, also what no plugin should, under the name `misbehaving`.
  func addMisbehaving() throws {
    try add("misbehaving", library: "fixture.so")
    let (place, source) = ("\(folder)/misbehaving", Self.tests + "/MisbehavingPlugin")
    try write(Self.note(.current), to: "misbehaving/note.c")
    try Self.run("cc", "-c", "-fPIC", "-o", "\(place)/note.o", "\(place)/note.c")
    try Self.run("cc", "-c", "-fPIC", "-o", "\(place)/attempts.o", "\(source)/Attempts.c")
    try Self.run(
      "swiftc", "-swift-version", "6", "-emit-library", "-parse-as-library", "-module-name", "Misbehaving",
      "-I", "\(Self.built)/Modules", "-Xcc", "-fmodule-map-file=\(Self.built)/CProviderNote.build/module.modulemap",
      "-L", Self.built, "-lProviderKit", "-o", "\(place)/fixture.so", "\(source)/Misbehaving.swift",
      "\(place)/note.o", "\(place)/attempts.o")
  }

  /// A plugin whose library is compiled from C alone, without a note.
  func add(_ name: String, bareC source: String) throws {
    try add(name, library: "fixture.so")
    try write(source, to: "\(name)/fixture.c")
    try Self.run("cc", "-shared", "-fPIC", "-o", "\(folder)/\(name)/fixture.so", "\(folder)/\(name)/fixture.c")
  }

  /// Writes a file below the folder.
  func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: "\(folder)/\(path)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// A named pipe that nobody writes to.
  func makePipe(_ path: String) throws { try Self.run("mkfifo", path) }

  /// The bytes of the real plugin's library.
  static func appleLibraryBytes() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: appleLibrary)))
  }

  /// The bytes of a library that was made here.
  func libraryBytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)/fixture.so")))
  }

  private static func note(_ abi: ProviderABI) -> String {
    """
    #define TEXT "\(abi.kit)\\0" "\(abi.architecture)\\0" "\(abi.compiler)"
    __attribute__((used, aligned(4), section(".note.speedgw"))) static const struct {
      unsigned name_size, text_size, type;
      char name[8], text[sizeof(TEXT)];
    } note = {8, sizeof(TEXT), 1, "speedgw", TEXT};

    """
  }

  private static func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw FixtureFailure(command: command[0]) }
  }
}

struct FixtureFailure: Error { let command: String }
