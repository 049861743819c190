/// The manifests in the folder of plugins.
struct PluginFolder {
  private(set) var paths: [String] = []
  private(set) var names: Set<String> = []
  private(set) var problems: [Problem] = []

  /// A folder that is not there holds no plugins.
  static func read(_ folder: String) -> PluginFolder {
    var result = PluginFolder()
    let folders = (try? FileSystem.names(in: folder)) ?? []
    for name in folders where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = FilePath.join(FilePath.join(folder, name), "plugin.yaml")
      guard (try? FileSystem.kind(of: path)) == .file else { continue }
      let (manifest, problems) = PluginManifest.read(path)
      result.paths.append(path)
      result.problems += problems
      guard let manifest else { continue }
      if !result.names.insert(manifest.name).inserted {
        result.problems.append(
          Problem(
            file: path, place: .start, code: .invalidValue,
            message: "another plugin has the name \(Quoted(manifest.name))",
            hint: "give each plugin a name of its own"))
      }
    }
    return result
  }
}
