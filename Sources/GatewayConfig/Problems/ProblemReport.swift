import GatewayBase

/// How `check` prints problems.
package enum ProblemFormat: String, Sendable, CaseIterable {
  /// `file:line:column: error: what is wrong (code)`, and below it what would be right.
  case text
  /// An array of objects.
  case json
  /// Workflow commands of GitHub Actions, which show at the line in a pull request.
  case github
}

/// Renders problems, sorted by file and place.
package struct ProblemReport: Sendable {
  package let problems: [Problem]

  package init(_ problems: [Problem]) { self.problems = problems.sorted() }

  /// What is there that was not in an earlier report, and what has gone since.
  package func change(since earlier: ProblemReport) -> (new: ProblemReport, gone: [Problem]) {
    let (before, now) = (Set(earlier.problems), Set(problems))
    return (ProblemReport(problems.filter { !before.contains($0) }), earlier.problems.filter { !now.contains($0) })
  }

  /// 1 with errors or conflicts, 0 with warnings alone or nothing.
  package var exitCode: Int32 { problems.contains { $0.fails } ? 1 : 0 }

  /// - Parameter colours: whether `text` may use terminal colours.
  package func rendered(_ format: ProblemFormat, colours: Bool = false) -> String {
    switch format {
    case .text: problems.map { text($0, colours: colours) }.joined()
    case .json: JSONTree.list(problems.map(\.json)).pretty
    case .github: problems.map(workflowCommand).joined()
    }
  }

  /// `12 files: 1 error, 2 warnings`.
  package func summary(files: Int) -> String {
    let counts = [
      (Problem.Severity.error, "error"), (.conflict, "conflict"), (.warning, "warning"), (.hint, "hint"),
    ].compactMap { severity, name -> String? in
      let count = problems.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
    }
    let found = counts.isEmpty ? "no problems" : counts.joined(separator: ", ")
    return "\(files) file\(files == 1 ? "" : "s"): \(found)"
  }

  private func text(_ problem: Problem, colours: Bool) -> String {
    let place = problem.line > 0 ? "\(problem.file):\(problem.line):\(problem.column)" : problem.file
    let severity = colours ? coloured(problem.severity) : problem.severity.rawValue
    var text =
      "\(escapedControls(place)): \(severity): \(escapedControls(problem.message)) (\(problem.code.rawValue))\n"
    if let hint = problem.hint { text += "  \(escapedControls(hint))\n" }
    return text
  }

  private func coloured(_ severity: Problem.Severity) -> String {
    let colour =
      switch severity {
      case .error: "31"
      case .conflict: "35"
      case .warning: "33"
      case .hint: "36"
      }
    return "\u{1B}[1;\(colour)m\(severity.rawValue)\u{1B}[0m"
  }

  private func workflowCommand(_ problem: Problem) -> String {
    let command = problem.fails ? "error" : problem.severity == .warning ? "warning" : "notice"
    var properties = ["file=\(escapedProperty(problem.file))"]
    if problem.line > 0 { properties += ["line=\(problem.line)", "col=\(problem.column)"] }
    properties.append("title=\(problem.code.rawValue)")
    let message = [problem.message, problem.hint].compactMap(\.self).joined(separator: "\n")
    return "::\(command) \(properties.joined(separator: ","))::\(escapedData(message))\n"
  }
}

extension ProblemReport {
  /// A text of lines, with every other character escaped that could steer a terminal or turn its reading direction.
  package static func printable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escapedControls(String($0)) }
      .joined(separator: "\n")
  }
}

/// `text` with every character escaped that could steer a terminal, split a line or turn its reading direction.
private func escapedControls(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      escaped += "\\u{\(String(scalar.value, radix: 16))}"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}

/// Escapes the message of a workflow command, so that no text of a file can start a command of its own.
private func escapedData(_ text: String) -> String { escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"]) }

private func escapedProperty(_ text: String) -> String {
  escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
}

private func escaped(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if let replacement = replacements[scalar] { result += replacement } else { result.unicodeScalars.append(scalar) }
  }
  return result
}
