/// The arguments of one call of a command.
struct Invocation: Sendable {
  var operands: [String] = []
  private var values: [String: String] = [:]
  let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  /// The value of an option, nil where it was not given.
  subscript(option: CommandOption) -> String? { values[option.name] }

  /// The file of `--config`.
  var configurationPath: String? { self[.config] }

  /// - Returns: whether the option had no value yet.
  mutating func set(_ value: String, for option: CommandOption) -> Bool {
    values.updateValue(value, forKey: option.name) == nil
  }
}
