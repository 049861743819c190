import GatewayIO
import GatewayServer

extension Command {
  static let apple = Command(
    "apple", "what is to be done at Apple", example: "speed-gateway apple transfer --app 123 --target TEAM999999",
    .group([
      Command(
        "transfer", "move an app's users to another team: with --target before the app moves, without after it",
        options: [.transferApp, .target, .trial],
        notes: """
          Before Apple moves the app, with the giving team's key in the tenant's file: --target. After it, with the new
          teamId and key in the file: without. Each run goes on with the users that are left; a transfer id is good for
          sixty days, in which a sign-in under the new team finds its account by it.
          """,
        example: "speed-gateway apple transfer --app 123 --target TEAM999999 --dry-run", .action(transferUsers))
    ]))

  @Sendable private static func transferUsers(_ invocation: Invocation) async throws -> Int32 {
    guard let app = try invocation.app(.transferApp) else { throw UsageError("name the app with --app, by its number") }
    let settings = try Settings(invocation)
    let store = try settings.store()
    try await store.migrate()
    let transfer = try UserTransfer(
      invocation[.target].map { UserTransfer.Side.give(target: $0) } ?? .take, app: app, settings.configuration,
      environment: settings.environment, store: store, logger: .quiet)
    let isTrial = invocation.has(.trial)
    let outcome = try await transfer.run(isTrial: isTrial) { user, reason in
      try StandardStream.error.write("user \(user): \(reason)\n")
    }
    let what = isTrial ? "would be moved (one user was tried, nothing is kept)" : "moved"
    try StandardStream.output.write("\(outcome.moved) \(what), \(outcome.failed) left\n")
    return outcome.failed == 0 ? 0 : 1
  }
}

extension CommandOption {
  fileprivate static let transferApp = CommandOption("app", "ID", "the app's number")
  fileprivate static let target = CommandOption("target", "TEAM", "the team that will have the app; absent: take over")
  fileprivate static let trial = CommandOption.flag("dry-run", "ask Apple for one user, and keep nothing")
}
