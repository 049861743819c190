import GatewayBase
import GatewayIO
import Glibc
import ProviderKit

/// What the process of an isolated plugin does: it shuts itself in, loads one library, and serves the gateway's calls
/// through one socket until that ends.
package enum PluginChild {
  /// The hidden sub-command that starts it: `speed-gateway plugin-host PATH NAME VERSION MEMORY`, the last in bytes.
  package static let command = "plugin-host"

  /// The descriptor of the socket to the gateway.
  static let descriptor: Int32 = 3

  /// The variables by which the process, once files are closed off, tells itself what to serve. It has executed itself
  /// anew then, so that no thread is older than that, and arguments would have to be read from a file.
  private enum Variable {
    static let library = "SPEED_PLUGIN_HOST_LIBRARY"
    static let name = "SPEED_PLUGIN_HOST_NAME"
    static let version = "SPEED_PLUGIN_HOST_VERSION"
    static let isConfined = "SPEED_PLUGIN_HOST_CONFINED"
  }

  /// The sub-command's body. It must run before anything else of the process is set up.
  ///
  /// - Parameter arguments: those behind the sub-command.
  package static func run(_ arguments: [String]) -> Never {
    guard arguments.count == 4, let memory = UInt64(arguments[3]) else { _exit(2) }
    Confinement.endWithGateway(descriptor)
    Confinement.limit(memory: memory)
    var environment = Environment.variables
    environment[Variable.isConfined] = Confinement.confineFiles(to: arguments[0]) ? "yes" : "no"
    (environment[Variable.library], environment[Variable.name], environment[Variable.version]) =
      (arguments[0], arguments[1], arguments[2])
    Confinement.executeAnew("speed-gateway", environment)
    _exit(3)
  }

  /// Goes on with the sub-command where this process is one that has executed itself anew. The first thing that a process
  /// does.
  package static func resume(_ environment: [String: String]) {
    guard let library = environment[Variable.library], let name = environment[Variable.name],
      let version = environment[Variable.version]
    else { return }
    serve(library, name, version, filesAreClosed: environment[Variable.isConfined] == "yes")
  }

  private static func serve(_ library: String, _ name: String, _ version: String, filesAreClosed: Bool) -> Never {
    let link = ChildLink(descriptor: descriptor)
    let callsAreClosed = Confinement.confineCalls()
    let provider: any Provider
    do throws(PluginFailure) {
      provider = try PluginLibrary.load(path: library, name: name, version: version)
    } catch {
      try? link.send(.failed(String(error.reason.prefix(Limits.pluginTrialReason))))
      _exit(0)
    }
    do throws(MessageFault) {
      try link.send(
        .hello(
          ProviderHello(
            manifest: provider.manifest, refusedCredential: provider.refusedCredential,
            isConfined: filesAreClosed && callsAreClosed)))
    } catch {
      _exit(4)
    }
    ChildCalls(provider: provider, link: link).run()
  }
}
