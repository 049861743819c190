/// The manifests in the folder of plugins.
package struct PluginFolder {
  private(set) var paths: [String] = []
  private(set) var names: Set<String> = []
  /// Of those that send mail.
  private(set) var senders: Set<String> = []
  private(set) var problems: [Problem] = []

  /// The names of the folders of plugins, in the order of their bytes: those with a `plugin.yaml`, but for names that
  /// begin with `.` or `_`. A folder that is not there holds none.
  ///
  /// - Throws: where it can't be listed.
  package static func names(in folder: String) throws(FileSystem.Fault) -> [String] {
    if try FileSystem.kind(of: folder) == .absent { return [] }
    return try FileSystem.names(in: folder).filter { name in
      !name.hasPrefix(".") && !name.hasPrefix("_") && (try? FileSystem.kind(of: manifest(folder, name))) == .file
    }
  }

  private static func manifest(_ folder: String, _ name: String) -> String {
    FilePath.join(FilePath.join(folder, name), "plugin.yaml")
  }

  /// What `check` reads of it.
  static func read(_ folder: String) -> PluginFolder {
    var result = PluginFolder()
    for name in (try? names(in: folder)) ?? [] {
      let path = manifest(folder, name)
      let (manifest, problems) = PluginManifest.read(path)
      result.paths.append(path)
      result.problems += problems
      guard let manifest else { continue }
      if manifest.sendsMail { result.senders.insert(manifest.name) }
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
