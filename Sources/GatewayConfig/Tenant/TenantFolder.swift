import GatewayBase

/// The folder of tenant files.
package enum TenantFolder {
  /// The paths of all tenant files: `*.yaml` and `*.yml` in the folder and those below it, names that begin with `.`
  /// or `_` left out, in the order of their paths. A folder that can't be read is a problem of its own.
  package static func list(_ folder: String) -> (paths: [String], problems: [Problem]) {
    var walk = FolderWalk()
    walk.visit(folder, ancestors: [])
    return (walk.paths, walk.problems)
  }

  /// Reads each file by itself.
  ///
  /// - Parameter environment: the variables that secrets may come from.
  package static func load(
    _ folder: String, environment: [String: String]
  ) -> (files: [TenantFile], problems: [Problem]) {
    let (paths, problems) = list(folder)
    return (paths.map { TenantFile.read($0, environment: environment) }, problems)
  }
}

private struct FolderWalk {
  var paths: [String] = []
  var problems: [Problem] = []

  mutating func visit(_ folder: String, ancestors: [[UInt64]]) {
    let names: [String]
    do throws(FileSystem.Fault) {
      names = try FileSystem.names(in: folder)
    } catch {
      report(
        folder, "the folder can't be read: \(error.reason)",
        hint: "make the folder, or name another by tenants in gateway.yaml")
      return
    }
    // A link that leads back to a folder above would be walked for ever.
    guard let identity = FileSystem.identity(of: folder), !ancestors.contains(identity) else { return }
    guard ancestors.count < Limits.folderDepth else {
      report(
        folder, "folders are nested over \(Limits.folderDepth) deep; this one is not read", hint: "move its files up")
      return
    }
    for name in names where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = FilePath.join(folder, name)
      switch FileSystem.kind(of: path) {
      case .folder: visit(path, ancestors: ancestors + [identity])
      case .file, .absent, .other: if FilePath.isYAML(name) { paths.append(path) }
      }
    }
  }

  private mutating func report(_ folder: String, _ message: String, hint: String) {
    problems.append(
      Problem(
        file: folder, place: Place(line: 0, column: 0), severity: .warning, code: .unreadableFile, message: message,
        hint: hint))
  }
}
