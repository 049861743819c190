import GatewayBase

/// The tenant files of one side of a comparison: their texts by their paths below the folder.
package struct TenantTexts: Sendable {
  /// By the path below the folder. A file that can't be read is empty, and refused for that.
  package internal(set) var texts: [String: [UInt8]]
  /// What stands before those paths where a file of this side is named.
  package let label: String

  /// - Parameter texts: by path; what is no tenant's file is left out.
  package init(texts: [String: [UInt8]], label: String) {
    self.texts = texts.filter { name, _ in
      FilePath.isYAML(name) && !name.split(separator: "/").contains { $0.hasPrefix(".") || $0.hasPrefix("_") }
    }
    self.label = label
  }

  /// The files of a folder and those below it.
  package init(folder: String) throws(FileSystem.Fault) {
    _ = try FileSystem.names(in: folder)
    let prefix = FilePath.join(folder, "")
    var texts: [String: [UInt8]] = [:]
    for path in TenantFolder.list(folder).paths {
      texts[String(path.dropFirst(prefix.count))] = (try? FileSystem.read(path, limit: Limits.configurationFile)) ?? []
    }
    self.texts = texts
    label = prefix
  }

  /// The tree with one file in the place of the one of its name, or beside the others.
  package func replacing(with file: String) throws(FileSystem.Fault) -> TenantTexts {
    var tree = self
    let name = String(FilePath.lastComponent(file))
    let place = texts.keys.filter { FilePath.lastComponent($0) == name }.min { $0.count < $1.count } ?? name
    tree.texts[place] = try FileSystem.read(file, limit: Limits.configurationFile)
    return tree
  }

  func path(_ name: String) -> String { label + name }
}
