import GatewayBase
import GatewayConfig
import GatewayIO

/// The process: from its configuration to the end of its drain.
package enum Gateway {
  /// Exit code for a configuration that can't be used (sysexits.h, EX_CONFIG).
  private static let unusableConfiguration: Int32 = 78

  /// Runs until a signal ends it.
  ///
  /// - Parameters:
  ///   - path: of `gateway.yaml`; nil for the default place, or no file at all.
  ///   - environment: overrides (`SPEED_…`) and secrets.
  ///   - release: the version, for the metrics.
  /// - Returns: the exit code: 0 after a drain, 78 for a configuration that can't be used.
  package static func serve(configuration path: String?, environment: [String: String], release: String) async -> Int32
  {
    let activated = ActivatedSockets.take(environment)
    let file = GatewayFile.read(path, environment: environment)
    report(file.problems)
    guard file.isUsable else { return unusableConfiguration }
    let configuration = file.configuration
    let logger = Logger(level: configuration.log.level, format: configuration.log.format)
    do {
      let signals = try SignalStream.start()
      let gateway = try await RunningGateway(
        configuration, environment: environment, release: release, logger: logger)
      try gateway.start(activated: activated)
      await gateway.run(until: signals)
      return 0
    } catch {
      logger.error("the gateway can't start", .text("reason", "\(error)"))
      return unusableConfiguration
    }
  }

  /// Problems of files go to standard error as `check` prints them: they are for whoever edits the files.
  static func report(_ problems: [Problem]) {
    guard !problems.isEmpty else { return }
    let text = ProblemReport(problems).rendered(.text)
    try? StandardStream.error.write(text)
  }
}
