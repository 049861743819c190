import Glibc

/// The folder that holds a sub-folder for each plugin.
struct PluginFolder {
  let path: String

  /// The names of the sub-folders that hold a `plugin.yaml`, in the order of their bytes; none where the folder does
  /// not exist.
  func pluginFolders() throws(PluginFailure) -> [String] {
    guard let directory = unsafe opendir(path) else {
      if errno == ENOENT { return [] }
      throw PluginFailure("the folder \(path) can't be read: \(errorText(errno))")
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix("."), unsafe access("\(path)/\(name)/plugin.yaml", F_OK) == 0 else { continue }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
