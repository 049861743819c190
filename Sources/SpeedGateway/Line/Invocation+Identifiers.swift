import GatewayBase

extension Invocation {
  /// The number of an app that an option names; nil where it was not given.
  func app(_ option: CommandOption) throws(UsageError) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let app = Int64(text), app > 0 else { throw UsageError("--\(option.name) is an app's number") }
    return app
  }
}

/// Checks that a word has the form of an id as the gateway makes them, of a user or a token.
///
/// - Parameter name: of the option or argument, for the message.
func identifier(_ word: String, of name: String) throws(UsageError) -> String {
  let isID = word.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  guard isID, (1...64).contains(word.utf8.count) else {
    throw UsageError("\(name) is 1 to 64 letters, digits, - and _")
  }
  return word
}
