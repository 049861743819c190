import GatewayBase
import Glibc
import ProviderKit

/// What the child process of a trial load does: it loads one library and says how that went. So a library that
/// crashes, exits or never returns while it is loaded ends a process that nobody needs.
package enum PluginTrial {
  /// The hidden sub-command that starts it: `speed-gateway plugin-probe PATH NAME VERSION`.
  package static let command = "plugin-probe"

  /// The descriptor that takes the answer: a byte of `Answer`, then the reason of a failure as text. Standard
  /// output would mix it with what the library prints.
  static let descriptor: Int32 = 3

  enum Answer {
    static let loaded = UInt8(ascii: "+")
    static let failed = UInt8(ascii: "-")
  }

  /// The sub-command's body. It must run before anything else of the process is set up, as it is started often.
  ///
  /// - Parameter arguments: those behind the sub-command.
  package static func run(_ arguments: [String]) -> Never {
    guard arguments.count == 3 else { _exit(2) }
    // A crash here is an answer, not an incident to keep an image of.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    // The parent ends this process in time; should it be gone, the alarm does.
    alarm(UInt32(Limits.pluginTrial / 1000 * 2))
    do throws(PluginFailure) {
      _ = try PluginLibrary.load(path: arguments[0], name: arguments[1], version: arguments[2])
      answer([Answer.loaded])
      _exit(0)
    } catch {
      answer([Answer.failed] + error.reason.utf8.prefix(Limits.pluginTrialReason))
      _exit(1)
    }
  }

  private static func answer(_ bytes: [UInt8]) {
    _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}
