import GatewayConfig
import GatewayIO

extension Command {
  static let check = Command(
    "check", "check configuration files, or all of them, without a running gateway",
    operands: Operands(
      name: "PATH", help: "files or folders to check against all others; none: everything", count: 0...Int.max),
    options: [.format, .online, .watch],
    notes: """
      Exit code 1 with errors or conflicts; warnings and hints alone are 0. Every code is in docs/CONFIGURATION.md.
      """,
    example: "speed-gateway check --config gateway.yaml tenants/notes.yaml",
    .action { invocation in
      let run = CheckRun(invocation)
      guard invocation.has(.watch) else { return try await run.once() }
      guard run.format == .text else { throw UsageError("--watch tells people: it goes with --format text alone") }
      guard !invocation.has(.online) else { throw UsageError("--watch does not go with --online") }
      try await run.forever()
    })
}

extension CommandOption {
  static let format = CommandOption(
    "format", ProblemFormat.allCases.map(\.rawValue).joined(separator: "|"),
    "for people, for programs, or as annotations of GitHub Actions; by default text",
    choices: ProblemFormat.allCases.map(\.rawValue))
  fileprivate static let online = CommandOption.flag(
    "online", "ask the network too: names without an address, certificates; hints, never errors")
  fileprivate static let watch = CommandOption.flag(
    "watch", "go on, and tell what each change of a file does to the verdict; ends with an interrupt")
}

/// One call of `check`.
private struct CheckRun {
  let invocation: Invocation
  let format: ProblemFormat
  private let cache = TenantCache()
  private let teams = TeamWarnings()
  private let hasColours: Bool

  init(_ invocation: Invocation) {
    self.invocation = invocation
    format = invocation[.format].flatMap(ProblemFormat.init) ?? .text
    hasColours = StandardStream.output.showsColours(environment: invocation.environment)
  }

  func once() async throws -> Int32 {
    let (report, files) = await look(progress: ProgressBar(noun: "files"))
    try tell(report, files)
    return report.exitCode
  }

  func forever() async throws -> Never {
    var (report, files) = await look(progress: ProgressBar(noun: "files"))
    try tell(report, files)
    while true {
      try await Task.sleep(nanoseconds: 300_000_000)
      let (next, count) = await look(progress: nil)
      defer { (report, files) = (next, count) }
      let change = next.change(since: report)
      guard !change.new.problems.isEmpty || !change.gone.isEmpty || count != files else { continue }
      var text = change.new.rendered(.text, colours: hasColours)
      for problem in change.gone {
        text += "mended: \(ProblemReport([problem]).rendered(.text).prefix { $0 != "\n" })\n"
      }
      try StandardStream.output.write(text + next.summary(files: count) + "\n")
    }
  }

  private func look(progress: ProgressBar?) async -> (report: ProblemReport, files: Int) {
    let result = await ConfigurationCheck.run(
      gatewayPath: invocation.configurationPath, paths: invocation.operands, environment: invocation.environment,
      cache: cache, progress: progress?.advance)
    progress?.clear()
    let hints = invocation.has(.online) ? await OnlineHints.find(result) : []
    let warnings = await teams.find(result, environment: invocation.environment)
    return (ProblemReport(result.problems + warnings + hints), result.files)
  }

  private func tell(_ report: ProblemReport, _ files: Int) throws {
    var text = report.rendered(format, colours: hasColours)
    if format == .text { text += report.summary(files: files) + "\n" }
    try StandardStream.output.write(text)
  }
}

extension StandardStream {
  /// Whether colours help: on a terminal that has them, unless NO_COLOR asks for none.
  func showsColours(environment: [String: String]) -> Bool {
    isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
