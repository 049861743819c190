import GatewayBase
import GatewayIO
import GatewayIdentity

extension Command {
  static let keys = Command(
    "keys", "look after the keys that sign tokens", example: "speed-gateway keys list",
    .group([
      Command(
        "list", "id, time of creation and state of each key, newest first",
        example: "speed-gateway keys list --config gateway.yaml", .action(listKeys)),
      Command(
        "rotate", "make a new key that signs from now on; older ones verify until their tokens end",
        options: [.sealing],
        example: "speed-gateway keys rotate --config gateway.yaml", .action(rotateKeys)),
    ]))

  @Sendable private static func listKeys(_ invocation: Invocation) throws -> Int32 {
    guard let keys = try Settings(invocation).existingKeys() else {
      try StandardStream.output.write("no keys; the first start of serve, or keys rotate, makes one\n")
      return 0
    }
    try StandardStream.output.write(table(keys.list(), now: SystemClock().now))
    return 0
  }

  @Sendable private static func rotateKeys(_ invocation: Invocation) throws -> Int32 {
    let settings = try Settings(invocation)
    if invocation.has(.sealing) { return try rotateSealingKeys(settings) }
    // A folder without a key gets its first one as it is opened.
    if let keys = try settings.existingKeys() { try keys.rotate() }
    let keys = try settings.keys()
    try StandardStream.output.write("\(keys.active.kid) signs from now on\n")
    return 0
  }

  private static func rotateSealingKeys(_ settings: Settings) throws -> Int32 {
    let keys = try SealingKeys(folder: settings.configuration.sealingKeys)
    try keys.rotate()
    try StandardStream.output.write("\(keys.activeID) seals from now on; older ones still open\n")
    return 0
  }

  private static func table(_ keys: [SigningKeys.Description], now: UnixTime) -> String {
    let rows = keys.map { key in
      let state =
        key.verifiesUntil.map { $0 > now ? "verifying, retires \($0.rfc3339)" : "retired \($0.rfc3339)" } ?? "signing"
      return [key.kid, key.created.rfc3339, state]
    }
    return TextTable.aligned([["KID", "CREATED", "STATE"]] + rows)
  }
}

extension CommandOption {
  fileprivate static let sealing = CommandOption.flag(
    "sealing", "rotate the keys that seal what providers leave with accounts, in place of those that sign")
}
