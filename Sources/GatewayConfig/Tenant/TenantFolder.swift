import GatewayBase

/// The folder of tenant files.
package enum TenantFolder {
  /// What is in the folder and those below it.
  package struct Listing: Sendable {
    /// The tenant files, in the order of their paths.
    package internal(set) var paths: [String] = []
    /// A folder that can't be read is a problem of its own.
    package internal(set) var problems: [Problem] = []
    /// Folders of which nothing is known now, and entries of which it is not known whether they are folders.
    var unread: [String] = []

    /// Whether a file may be there although it is not listed, as its folder could not be read.
    package func leavesOpen(_ path: String) -> Bool {
      unread.contains { path == $0 || path.hasPrefix(FilePath.join($0, "")) }
    }
  }

  /// Lists `*.yaml` and `*.yml` in the folder and those below it, names that begin with `.` or `_` left out.
  package static func list(_ folder: String) -> Listing {
    var walk = FolderWalk(above: FileSystem.foldersAbove(folder))
    walk.visit(folder, ancestors: [])
    return walk.listing
  }

  /// Reads each file by itself.
  ///
  /// - Parameter environment: the variables that secrets may come from.
  package static func load(
    _ folder: String, environment: [String: String]
  ) -> (files: [TenantFile], problems: [Problem]) {
    let listing = list(folder)
    return (listing.paths.map { TenantFile.read($0, environment: environment) }, listing.problems)
  }
}

private struct FolderWalk {
  /// The folders above that of all.
  let above: Set<FileSystem.FolderIdentity>
  var listing = TenantFolder.Listing()

  mutating func visit(_ folder: String, ancestors: [FileSystem.FolderIdentity]) {
    let names: [String]
    let identity: FileSystem.FolderIdentity
    do throws(FileSystem.Fault) {
      names = try FileSystem.names(in: folder)
      identity = try FileSystem.identity(of: folder)
    } catch {
      listing.unread.append(folder)
      report(
        folder, "the folder can't be read: \(error.reason)",
        hint: "make the folder, or name another by tenants in gateway.yaml")
      return
    }
    // A link that leads back to a folder above would be walked for ever, or through all that the machine has.
    guard !ancestors.contains(identity), !above.contains(identity) else { return }
    guard ancestors.count < Limits.folderDepth else {
      report(
        folder, "folders are nested over \(Limits.folderDepth) deep; this one is not read", hint: "move its files up")
      return
    }
    for name in names where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = FilePath.join(folder, name)
      if kind(of: path) == .folder {
        visit(path, ancestors: ancestors + [identity])
      } else if FilePath.isYAML(name) {
        listing.paths.append(path)
      }
    }
  }

  /// Nil where it can't be told now.
  private mutating func kind(of path: String) -> FileSystem.Kind? {
    do throws(FileSystem.Fault) {
      return try FileSystem.kind(of: path)
    } catch {
      listing.unread.append(path)
      report(path, "it can't be read: \(error.reason)", hint: nil)
      return nil
    }
  }

  private mutating func report(_ folder: String, _ message: String, hint: String?) {
    listing.problems.append(
      Problem(
        file: folder, place: Place(line: 0, column: 0), severity: .warning, code: .unreadableFile, message: message,
        hint: hint))
  }
}
