import GatewayConfig
import GatewayIO

extension Command {
  static let check = Command(
    "check", "check configuration files, or all of them, without a running gateway",
    operands: Operands(
      name: "PATH", help: "files or folders to check against all others; none: everything", count: 0...Int.max),
    options: [.format], example: "speed-gateway check --config gateway.yaml tenants/notes.yaml",
    .action { invocation in
      let result = ConfigurationCheck.run(
        gatewayPath: invocation.configurationPath, paths: invocation.operands, environment: invocation.environment)
      let format = invocation[.format].flatMap(ProblemFormat.init) ?? .text
      var text = result.report.rendered(
        format, colours: StandardStream.output.showsColours(environment: invocation.environment))
      if format == .text { text += result.report.summary(files: result.files) + "\n" }
      try StandardStream.output.write(text)
      return result.report.exitCode
    })
}

extension CommandOption {
  fileprivate static let format = CommandOption(
    "format", ProblemFormat.allCases.map(\.rawValue).joined(separator: "|"),
    "for people, for programs, or as annotations of GitHub Actions; by default text",
    choices: ProblemFormat.allCases.map(\.rawValue))
}

extension StandardStream {
  /// Whether colours help: on a terminal that has them, unless NO_COLOR asks for none.
  func showsColours(environment: [String: String]) -> Bool {
    isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
