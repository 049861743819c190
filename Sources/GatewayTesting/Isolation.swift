/// Whether the bundled plugins run in the gateway's process in this run of the tests, or in processes of their own:
/// `SPEED_TEST_ISOLATION` is `none`, the default, or `process`.
enum Isolation {
  private static let isolated = Result { try folder() }

  /// The folder of the bundled plugins.
  static var plugins: String {
    guard ProcessEnvironment.value("SPEED_TEST_ISOLATION") == "process" else { return "\(Built.package)/plugins" }
    // Where they can't be written there are none, and no test that signs in passes.
    return (try? isolated.get())?.path ?? "/nonexistent"
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["apple-native", "speed-web", "relay"] {
      let manifest = String(decoding: try FileBytes.read("\(Built.package)/plugins/\(name)/plugin.yaml"), as: UTF8.self)
      try folder.write("\(name)/plugin.yaml", manifest + "isolation: process\n")
    }
    return folder
  }
}
