import GatewayBase
import Glibc
import ProviderKit

/// The library of a plugin as a file: where it is, and what it was built with. Nothing here runs its code.
struct PluginFile {
  let path: String
  let abi: ProviderABI

  /// Finds the library that a manifest names and reads its note.
  ///
  /// - Parameters:
  ///   - library: a file name without folders, so that a manifest can't reach beyond the places of plugins.
  ///   - plugin: the plugin's name.
  ///   - folder: where its `plugin.yaml` is.
  ///   - executableFolder: where the gateway's executable is.
  init(library: String, plugin: String, folder: String, executableFolder: String) throws(PluginFailure) {
    for name in [library, plugin] where name.isEmpty || name.contains("/") || name.contains("\0") || name == ".." {
      throw PluginFailure("plugin.yaml: name and library must be plain names, without folders")
    }
    let places = [folder, executableFolder, "\(executableFolder)/../lib/speed-gateway/plugins/\(plugin)"]
    let paths = places.map { folder in "\(folder)/\(library)" }
    guard let path = paths.first(where: { path in unsafe access(path, F_OK) == 0 }) else {
      throw PluginFailure("\(library) is missing: looked for in \(places.joined(separator: ", "))")
    }
    abi = try ELFNoteReader(Self.contents(of: path)).abi()
    self.path = path
  }

  /// - Throws: where it was built with another kit, for another architecture or by another compiler.
  func checkABI(against own: ProviderABI = .current) throws(PluginFailure) {
    guard abi == own else {
      throw PluginFailure("the library is built for \(abi.text), this gateway for \(own.text): build the plugin again")
    }
  }

  private static func contents(of path: String) throws(PluginFailure) -> [UInt8] {
    // Nonblocking, so that a named pipe in the library's place can't hold up the start.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw PluginFailure("\(path) can't be read: \(errorText(errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw PluginFailure("\(path) is no regular file")
    }
    guard status.st_size <= Limits.pluginLibrary else {
      throw PluginFailure("\(path) is over \(Limits.pluginLibrary >> 20) MiB")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw PluginFailure("\(path) could not be read to its end") }
      filled += count
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

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  // The XSI form, which writes into the buffer.
  _ = unsafe strerror_r(number, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
