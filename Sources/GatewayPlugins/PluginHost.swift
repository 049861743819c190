import GatewayBase
import Glibc

/// The gateway that loads plugins: where it is installed, and how it starts itself for a trial load.
package struct PluginHost: Sendable {
  /// What is started for a trial load; it must understand `PluginTrial.command`.
  let executable: String
  /// Where libraries are looked for that are not beside their `plugin.yaml`.
  let folder: String
  /// Milliseconds that a trial load may take.
  let timeLimit: UInt64

  /// - Parameters:
  ///   - executable: a gateway's executable.
  ///   - folder: the folder that counts as the executable's.
  package init(executable: String, folder: String, timeLimit: UInt64 = Limits.pluginTrial) {
    self.executable = executable
    self.folder = folder
    self.timeLimit = timeLimit
  }

  /// Where the package of ProviderKit may be: installed, then in the source tree that the executable was built in.
  package var kitPlaces: [String] {
    ["../lib/speed-gateway", "../../..", "../.."].map { "\(folder)/\($0)/ProviderKit" }
  }

  /// The running process: the same executable, even where its file was replaced since.
  package static var current: PluginHost {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return PluginHost(
      executable: "/proc/self/exe", folder: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }
}
