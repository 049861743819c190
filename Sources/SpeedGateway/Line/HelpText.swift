import GatewayBase

/// What `--help` prints: usage, one line each for commands, arguments and options, and an example.
struct HelpText {
  let command: Command
  /// The words that lead to the command, the executable's name first.
  let path: [String]

  var text: String {
    var sections = ["\(path.joined(separator: " ")) – \(command.summary)", "Usage: \(usage)"]
    add("Commands", command.subcommands.map { [$0.name, $0.summary] }, to: &sections)
    add("Arguments", command.operands.map { [[$0.name, $0.help]] } ?? [], to: &sections)
    add("Options", options, to: &sections)
    if !command.notes.isEmpty { sections.append(command.notes) }
    sections.append("Example: \(command.example)")
    return sections.joined(separator: "\n\n") + "\n"
  }

  private var usage: String {
    var words = path
    if !command.subcommands.isEmpty { words.append("COMMAND") }
    if let operands = command.operands { words.append(operands.usage) }
    return words.joined(separator: " ") + " [OPTION …]"
  }

  private var options: [[String]] {
    var rows = (command.options + [.config]).map {
      [$0.placeholder.isEmpty ? "--\($0.name)" : "--\($0.name) \($0.placeholder)", $0.help]
    }
    rows.append(["--help", "this text"])
    if path.count == 1 { rows.append(["--version", "the release"]) }
    return rows
  }

  private func add(_ title: String, _ rows: [[String]], to sections: inout [String]) {
    guard !rows.isEmpty else { return }
    let lines = TextTable.aligned(rows).split(separator: "\n").map { "  \($0)" }
    sections.append("\(title):\n" + lines.joined(separator: "\n"))
  }
}
