import GatewayConfig
import GatewayIO

/// The gateway's configuration, for a command that works on its files or its store.
struct Settings {
  let configuration: GatewayConfiguration
  let environment: [String: String]

  /// Reads the file of `--config` with the environment over it; its problems go to standard error.
  ///
  /// - Throws: `CommandFailure` where the file can't be used.
  init(_ invocation: Invocation) throws {
    let file = GatewayFile.read(invocation.configurationPath, environment: invocation.environment)
    guard file.isUsable else {
      let report = ProblemReport(file.problems.filter(\.fails))
      try StandardStream.error.write(report.rendered(.text))
      throw CommandFailure("the configuration can't be used")
    }
    configuration = file.configuration
    environment = invocation.environment
  }
}
