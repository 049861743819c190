extension Command {
  static let token = Command(
    "token", "look at access tokens, and end them", example: "speed-gateway token inspect -",
    .group([inspectToken, revokeToken]))
}

extension Operands {
  /// An access token of the gateway.
  static func token(_ count: ClosedRange<Int>) -> Operands {
    Operands(
      name: "TOKEN", help: "the token, or - to read it from standard input and so keep it out of the shell's history",
      count: count)
  }
}
