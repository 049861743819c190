import GatewayBase
import GatewayConfig
import ProviderKit

/// The library of a plugin as a file: where it is, and what it was built with. Nothing here runs its code.
struct PluginFile {
  let path: String
  let bytes: [UInt8]
  let abi: ProviderABI

  /// Finds the library that a manifest names and reads its note.
  ///
  /// - Parameters:
  ///   - library: a file name without folders, so that a manifest can't reach beyond the places of plugins.
  ///   - plugin: the plugin's name.
  ///   - places: the paths at which it is looked for.
  init(library: String, plugin: String, places: [String]) throws(PluginFailure) {
    for name in [library, plugin] where name.isEmpty || name.contains("/") || name.contains("\0") || name == ".." {
      throw PluginFailure("plugin.yaml: name and library must be plain names, without folders")
    }
    guard let path = places.first(where: { FileSystem.look(at: $0) != .absent }) else {
      let folders = places.map { $0.dropLast(library.count + 1) }
      throw PluginFailure("\(library) is missing: looked for in \(folders.joined(separator: ", "))")
    }
    bytes = try Self.contents(of: path)
    abi = try ELFNoteReader(bytes).abi()
    self.path = path
  }

  /// Where a library may be: beside its `plugin.yaml`, beside the executable, and where both are installed.
  static func places(library: String, plugin: String, folder: String, executableFolder: String) -> [String] {
    [folder, executableFolder, "\(executableFolder)/../lib/speed-gateway/plugins/\(plugin)"].map { "\($0)/\(library)" }
  }

  /// - Throws: where it was built with another kit, for another architecture or by another compiler.
  func checkABI(against own: ProviderABI = .current) throws(PluginFailure) {
    guard abi == own else {
      throw PluginFailure("the library is built for \(abi.text), this gateway for \(own.text): build the plugin again")
    }
  }

  private static func contents(of path: String) throws(PluginFailure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FileSystem.Fault) {
      bytes = try FileSystem.read(path, limit: Limits.pluginLibrary)
    } catch {
      throw PluginFailure("\(path) can't be read: \(error.reason)")
    }
    guard bytes.count <= Limits.pluginLibrary else {
      throw PluginFailure("\(path) is over \(Limits.pluginLibrary >> 20) MiB")
    }
    return bytes
  }
}

extension ProviderABI {
  /// All three, for a message.
  var text: String { "kit \(kit), \(architecture), \(compiler)" }

  /// All three in brief, for a table: of the compiler its name and the beginning of its commit.
  var summary: String {
    let words = compiler.split(separator: " ")
    let commit = words.count > 2 ? words.last.map { " " + $0.prefix { $0 != ")" }.prefix(12) } ?? "" : ""
    return "kit \(kit), \(architecture), \(words.prefix(2).joined(separator: " "))\(commit)"
  }
}
