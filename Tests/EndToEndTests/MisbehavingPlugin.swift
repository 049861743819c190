import GatewayTesting

/// The plugin of `Tests/MisbehavingPlugin`, compiled once for all tests.
enum MisbehavingPlugin {
  static let path = "/api/platform/auth/misbehaving"

  private static let library = Result { try compiled() }

  private static func compiled() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let (object, library) = (folder.path("attempts.o"), folder.path("libMisbehaving.so"))
    let sources = "\(Built.package)/Tests/MisbehavingPlugin"
    let note = "\(Built.folder)/CProviderNote.build"
    for command in [
      ["clang", "-c", "-fPIC", "-o", object, "\(sources)/Attempts.c"],
      [
        "swiftc", "-swift-version", "6", "-emit-library", "-parse-as-library", "-module-name", "Misbehaving",
        "-I", "\(Built.folder)/Modules", "-Xcc", "-fmodule-map-file=\(note)/module.modulemap", "-L", Built.folder,
        "-lProviderKit", "-o", library, "\(sources)/Misbehaving.swift", "\(note)/CProviderNote.c.o", object,
      ],
    ] {
      let result = try CommandResult.run(command)
      guard result.exitCode == 0 else { throw TestFailure("\(command[0]) can't compile it: \(result.standardError)") }
    }
    return try FileBytes.read(library)
  }

  /// A folder of plugins with it, in a process of its own, and the bundled one for Apple.
  ///
  /// - Parameter lines: further ones of its `plugin.yaml`.
  static func folder(_ lines: String...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("misbehaving/libMisbehaving.so", try library.get())
    let manifest =
      [
        "name: misbehaving", "version: 1.0.0", "library: libMisbehaving.so", "isolation: process",
        "routes: [{ method: POST, path: \(path) }]",
      ] + lines
    try folder.write("misbehaving/plugin.yaml", manifest.joined(separator: "\n"))
    try folder.write(
      "apple-native/plugin.yaml", try FileBytes.read("\(Built.package)/plugins/apple-native/plugin.yaml"))
    return folder
  }
}
