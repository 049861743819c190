/// A command, or a group of commands, with all that its help and the reading of its arguments need.
struct Command: Sendable {
  /// What a command does with its arguments.
  ///
  /// - Returns: the exit code.
  /// - Throws: what is told in one line on standard error, with exit code 1.
  typealias Action = @Sendable (Invocation) async throws -> Int32

  enum Kind: Sendable {
    case group([Command])
    case action(Action)
  }

  /// The word that names it; of the root, the executable's.
  let name: String
  /// One line without a full stop.
  let summary: String
  let operands: Operands?
  /// Besides those that every command has.
  let options: [CommandOption]
  /// What else there is to know, in whole lines; empty for nothing.
  let notes: String
  let example: String
  let kind: Kind

  init(
    _ name: String, _ summary: String, operands: Operands? = nil, options: [CommandOption] = [], notes: String = "",
    example: String, _ kind: Kind
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.notes = notes
    self.example = example
    self.kind = kind
  }

  var subcommands: [Command] { if case .group(let commands) = kind { commands } else { [] } }
}

/// Arguments that no option takes.
struct Operands: Sendable {
  /// As the usage line shows one.
  let name: String
  /// One line without a full stop.
  let help: String
  let count: ClosedRange<Int>

  /// `TOKEN`, `[TOKEN]` or `[PATH …]`.
  var usage: String {
    let text = count.upperBound > max(1, count.lowerBound) ? "\(name) …" : name
    return count.lowerBound == 0 ? "[\(text)]" : text
  }
}

/// An option, written `--name value` or `--name=value`, or `--name` where it has no value; once at most, unless it is
/// repeatable.
struct CommandOption: Sendable {
  /// Without the dashes.
  let name: String
  /// What stands for the value in help; empty for an option without one.
  let placeholder: String
  /// One line without a full stop.
  let help: String
  /// The only values; nil takes any that is not empty.
  let choices: [String]?
  let isRepeatable: Bool

  init(
    _ name: String, _ placeholder: String, _ help: String, choices: [String]? = nil, isRepeatable: Bool = false
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.choices = choices
    self.isRepeatable = isRepeatable
  }

  /// One without a value.
  static func flag(_ name: String, _ help: String) -> CommandOption { CommandOption(name, "", help) }

  /// Of what a command tells, apart from problems of files.
  static let textOrJSON = CommandOption(
    "format", "text|json", "for people or for programs; by default text", choices: ["text", "json"])

  /// Goes with every command.
  static let config = CommandOption(
    "config", "FILE", "the gateway's file; by default gateway.yaml of the working folder, where it is there")
}
