import GatewayBase
import GatewayIO
import GatewayIdentity

extension Command {
  static let user = Command(
    "user", "look at accounts, and end them", example: "speed-gateway user show 4f0c9a6e2b7d1835",
    .group([
      Command(
        "show", "an account: its identities, what is kept and what waits for it, and its last acts",
        operands: .user, example: "speed-gateway user show 4f0c9a6e2b7d1835", .action(showUser)),
      Command(
        "export", "all that the store holds about a person, as JSON; credentials stay inside", operands: .user,
        example: "speed-gateway user export 4f0c9a6e2b7d1835 > person.json", .action(exportUser)),
      Command(
        "delete", "delete an app's account, or take the app from a regular one, as its user could", operands: .user,
        options: [.accountApp], example: "speed-gateway user delete 4f0c9a6e2b7d1835 --app 123", .action(deleteUser)),
    ]))

  @Sendable private static func showUser(_ invocation: Invocation) async throws -> Int32 {
    let user = try invocation.user()
    guard let record = try await Settings(invocation).accounts().record(of: user) else {
      throw CommandFailure("no account has this id")
    }
    try StandardStream.output.write(UserReport.text(record))
    return 0
  }

  @Sendable private static func exportUser(_ invocation: Invocation) async throws -> Int32 {
    let user = try invocation.user()
    let accounts = try await Settings(invocation).accounts()
    guard let record = try await accounts.record(of: user) else { throw CommandFailure("no account has this id") }
    try await accounts.noteExport(of: user, app: record["account"]?["appId"]?.integer ?? 0)
    try StandardStream.output.write(String(decoding: record.jsonText, as: UTF8.self) + "\n")
    return 0
  }

  @Sendable private static func deleteUser(_ invocation: Invocation) async throws -> Int32 {
    let (user, given) = (try invocation.user(), try invocation.app(.accountApp))
    let accounts = try await Settings(invocation).accounts()
    guard let own = try await accounts.app(of: user) else { throw CommandFailure("no account has this id") }
    guard let app = given ?? own else {
      throw UsageError("a regular account may have several apps: name one with --app")
    }
    guard try await accounts.delete(user: user, app: app, by: .admin) else {
      throw CommandFailure("the account is not one of app \(app)")
    }
    try StandardStream.output.write("deleted: user \(user) in app \(app); what is left to do at providers is queued\n")
    return 0
  }
}

extension Operands {
  fileprivate static let user = Operands(name: "USER", help: "the user's id", count: 1...1)
}

extension CommandOption {
  fileprivate static let accountApp = CommandOption("app", "ID", "the app; by default the one that the account is of")
}

extension Invocation {
  /// The id of the operand.
  fileprivate func user() throws(UsageError) -> String { try identifier(operands.first ?? "", of: "USER") }
}

/// An account in lines, for people.
enum UserReport {
  /// Acts that are shown, the last ones.
  private static let acts = 20

  static func text(_ record: JSONValue) -> String {
    var lines: [String] = []
    if case .object(let account)? = record["account"] {
      lines += TextTable.aligned(
        ["id", "appId", "name", "email", "emailVerified", "isPrivateEmail", "createdAt"].map {
          [$0, shown(account[$0])]
        }
      ).split(separator: "\n").map(String.init)
    } else {
      lines.append("the account is gone")
    }
    lines += section(
      "identities", record, ["appId", "issuer", "team", "provider", "client", "signedInAt", "emailDisabled"])
    lines += section("grants", record, ["appId", "provider", "client", "acquiredAt", "checkedAt"])
    lines += section("waiting", record, ["appId", "kind", "provider", "attempts", "nextAttempt", "reason"])
    lines += section("refreshTokens", record, ["appId", "expiresAt"])
    lines += section("audit", record, ["at", "act", "appId", "actor", "address", "detail"], last: acts)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ name: String, _ record: JSONValue, _ columns: [String], last: Int = .max) -> [String] {
    let rows = (record[name]?.array ?? []).suffix(last).map { row in columns.map { shown(row[$0]) } }
    guard !rows.isEmpty else { return [] }
    return ["", name]
      + TextTable.aligned([columns.map { $0.uppercased() }] + rows).split(separator: "\n").map(String.init)
  }

  private static func shown(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "-"
    case .string(let text):
      String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
    case .integer(let number): String(number)
    case .bool(let flag): flag ? "yes" : "no"
    default: "?"
    }
  }
}
