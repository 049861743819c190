/// The arguments of one call of a command.
struct Invocation: Sendable {
  var operands: [String] = []
  private var values: [String: [String]] = [:]
  let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  /// The value of an option, nil where it was not given.
  subscript(option: CommandOption) -> String? { values[option.name]?.first }

  /// All values of an option that may be given again, in their order.
  func all(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// Whether an option without a value was given.
  func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// The file of `--config`.
  var configurationPath: String? { self[.config] }

  /// - Returns: false where the option had a value and takes one alone.
  mutating func set(_ value: String, for option: CommandOption) -> Bool {
    guard values[option.name] == nil || option.isRepeatable else { return false }
    values[option.name, default: []].append(value)
    return true
  }
}
