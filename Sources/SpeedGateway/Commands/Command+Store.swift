import GatewayIO
import GatewayStore

extension Command {
  static let store = Command(
    "store", "look after the database", example: "speed-gateway store check",
    .group([
      Command(
        "migrate", "bring the schema up to date, as the first start of serve does too",
        example: "speed-gateway store migrate --config gateway.yaml", .action(migrateStore)),
      Command(
        "check", "connect, and tell the engine and the version of the schema; changes nothing",
        example: "speed-gateway store check --config gateway.yaml", .action(checkStore)),
    ]))

  @Sendable private static func migrateStore(_ invocation: Invocation) async throws -> Int32 {
    let store = try Settings(invocation).store()
    let applied = try await store.migrate()
    let version = try await store.inspect()?.version ?? 0
    try StandardStream.output.write(
      applied.isEmpty
        ? "the schema is up to date: version \(version)\n"
        : "applied version \(applied.map(String.init).joined(separator: ", ")); the schema has version \(version)\n")
    return 0
  }

  @Sendable private static func checkStore(_ invocation: Invocation) async throws -> Int32 {
    let settings = try Settings(invocation)
    guard let state = try await settings.store().inspect() else {
      throw CommandFailure("there is no database yet; the first start of serve, or store migrate, makes it")
    }
    guard state.version <= state.known else {
      throw StoreError.schemaTooNew(found: state.version, known: state.known)
    }
    let standing = state.version == state.known ? "up to date" : "this release brings it to \(state.known)"
    try StandardStream.output.write("\(state.engine), schema version \(state.version) (\(standing))\n")
    return 0
  }
}
