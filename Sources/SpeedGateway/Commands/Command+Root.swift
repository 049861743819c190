extension Command {
  /// All commands.
  static let root = Command(
    "speed-gateway", "a multi-tenant sign-in gateway and reverse proxy",
    example: "speed-gateway serve --config gateway.yaml",
    .group([
      .serve, .check, .explain, .diff, .schema, .tenant, .plugin, .token, .user, .apple, .keys, .sandbox, .store,
    ]))
}
