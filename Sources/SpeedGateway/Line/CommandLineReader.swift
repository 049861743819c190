/// Reads the arguments of the process by the tree of commands.
struct CommandLineReader {
  /// What the command line asks for.
  enum Request {
    case help
    case version
    case run(Command.Action, Invocation)
  }

  /// The command that has been reached so far.
  private(set) var command: Command
  /// The words that lead to it, the executable's name first.
  private(set) var path: [String]
  private var invocation: Invocation
  private var rest: ArraySlice<String>

  /// - Parameter arguments: of the process, without its own name.
  init(_ arguments: [String], root: Command, environment: [String: String]) {
    command = root
    path = [root.name]
    rest = arguments[...]
    invocation = Invocation(environment: environment)
  }

  /// Reads to the end, or to the first `--help` or `--version`.
  mutating func read() throws(UsageError) -> Request {
    var takesOptions = true
    while let argument = rest.popFirst() {
      switch argument {
      case "--help" where takesOptions, "-h" where takesOptions: return .help
      case "--version" where takesOptions && path.count == 1: return .version
      case "--" where takesOptions: takesOptions = false
      case _ where takesOptions && argument.hasPrefix("-") && argument != "-": try readOption(argument)
      default: try readWord(argument)
      }
    }
    guard case .action(let action) = command.kind else { throw UsageError("name a command: \(choices)") }
    if let operands = command.operands, invocation.operands.count < operands.count.lowerBound {
      throw UsageError("\(operands.name) is missing")
    }
    return .run(action, invocation)
  }

  private var choices: String { command.subcommands.map(\.name).joined(separator: ", ") }

  private mutating func readWord(_ word: String) throws(UsageError) {
    guard case .group(let commands) = command.kind else {
      invocation.operands.append(word)
      let most = command.operands?.count.upperBound ?? 0
      guard invocation.operands.count <= most else {
        throw UsageError(most == 0 ? "it takes no argument\(shown(word))" : "one argument too many")
      }
      return
    }
    guard let next = commands.first(where: { $0.name == word }) else {
      throw UsageError("unknown command\(shown(word)): name one of \(choices)")
    }
    command = next
    path.append(word)
  }

  private mutating func readOption(_ argument: String) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = ([.config] + command.options).first(where: { "--\($0.name)" == parts[0] }) else {
      throw UsageError("unknown option\(shown(parts[0]))")
    }
    let name = "--\(option.name)"
    guard !option.placeholder.isEmpty else {
      guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
      guard invocation.set("", for: option) else { throw UsageError("\(name) is given twice") }
      return
    }
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty,
      parts.count == 2 || !value.hasPrefix("--")
    else { throw UsageError("\(name) needs a value: \(name) \(option.placeholder)") }
    if let choices = option.choices, !choices.contains(value) {
      throw UsageError("\(name) is one of \(choices.joined(separator: ", "))")
    }
    guard invocation.set(value, for: option) else { throw UsageError("\(name) is given twice") }
  }
}
