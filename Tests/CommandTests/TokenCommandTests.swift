import GatewayBase
import GatewayIdentity
import GatewayStore
import GatewayTesting
import Testing

@Suite("speed-gateway token") struct TokenCommandTests {
  private struct FixedClock: WallClock { let now: UnixTime }

  private let folder: CommandFolder
  private let keys: SigningKeys

  init() throws {
    folder = try CommandFolder()
    keys = try SigningKeys(folder: folder.path("var/keys"))
  }

  private func token(
    user: String = "user-1", issuer: String = CommandFolder.issuer, age: Int64 = 0
  ) throws -> AccessTokenIssuer.Issued {
    let clock = FixedClock(now: SystemClock().now.adding(seconds: -age))
    return try AccessTokenIssuer(keys: keys, issuer: issuer, clock: clock)
      .issue(userID: user, appID: 1, role: "user", isLocal: true, uuid: "uuid-1", lifetime: 3600)
  }

  @Test("inspect of a good token is exit 0 with its claims, and makes no store")
  func good() throws {
    let issued = try token()
    let result = try folder.run("token", "inspect", issued.text)
    #expect(result.exitCode == 0)
    let rows = result.standardOutput.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first == ["token", "good"])
    #expect(rows.contains(["revoked", "no"]))
    #expect(rows.contains(["jti", "\"\(issued.token.id)\""]) && rows.contains(["sub", "\"user-1\""]))
    #expect(rows.contains { $0.first == "exp" && $0.last == "(\(issued.token.expiresAt.rfc3339))" })
    #expect(!result.standardOutput.contains(issued.text))
    #expect(try folder.shell("ls var/gateway.db").exitCode != 0)
  }

  @Test("inspect reads the token from standard input")
  func standardInput() throws {
    let environment = ["TOKEN": try token().text]
    let result = try folder.shell("printf ' %s\\r\\n' \"$TOKEN\" | \"$0\" token inspect -", environment: environment)
    #expect(result.exitCode == 0)
    let empty = try folder.shell("\"$0\" token inspect - < /dev/null")
    #expect(empty.exitCode == 1 && empty.complaints.count == 1)
  }

  @Test("inspect says why a token is not good, exit 1")
  func bad() throws {
    let other = try SigningKeys(folder: folder.path("other-keys"))
    let foreign = try AccessTokenIssuer(keys: other, issuer: CommandFolder.issuer)
      .issue(userID: "user-1", appID: 1, role: "user", isLocal: true, uuid: "uuid-1")
    let good = try token().text
    let cases = [
      ("garbage", "no signed token"), (String(good.dropLast(8)) + "AAAAAAAA", "signature"),
      (try token(age: 7200).text, "expired"), (try token(issuer: "http://other").text, "issuer"),
      (foreign.text, "key"),
    ]
    for (text, reason) in cases {
      let result = try folder.run("token", "inspect", text)
      #expect(result.exitCode == 1, "\(reason)")
      let line = result.standardOutput.split(separator: "\n").first
      #expect(line?.contains("not good: ") == true && line?.contains(reason) == true, "\(reason)")
    }
  }

  @Test("inspect without any key knows no token, and makes no key")
  func noKeys() throws {
    let issued = try token()
    let empty = try CommandFolder()
    #expect(try empty.run("token", "inspect", issued.text).exitCode == 1)
    #expect(try empty.shell("ls var").exitCode != 0)
  }

  @Test("claims can't steer the terminal")
  func terminal() throws {
    let result = try folder.run("token", "inspect", try token(user: "a\u{1B}[31m\u{202E}b").text)
    #expect(!result.standardOutput.contains("\u{1B}") && !result.standardOutput.contains("\u{202E}"))
  }

  @Test("revoke ends the token, by itself or by its id")
  func revoke() throws {
    for isByID in [false, true] {
      let issued = try token()
      let arguments = isByID ? ["--jti", issued.token.id] : [issued.text]
      let result = try CommandResult.run(
        [Built.command, "token", "revoke"] + arguments, folder: folder.path(""))
      #expect(result.exitCode == 0)
      #expect(result.standardOutput.contains(issued.token.id))
      let inspected = try folder.run("token", "inspect", issued.text)
      #expect(inspected.exitCode == 1 && inspected.standardOutput.contains("it was revoked"))
    }
    #expect(try folder.run("token", "inspect", try token().text).exitCode == 0)
  }

  @Test("revoke of a user ends his tokens in that app, and no one else's")
  func revokeUser() throws {
    let (his, other) = (try token(user: "user-1"), try token(user: "user-2"))
    #expect(try folder.run("token", "revoke", "--user", "user-1", "--app", "2").exitCode == 0)
    #expect(try folder.run("token", "inspect", his.text).exitCode == 0)
    #expect(try folder.run("token", "revoke", "--user", "user-1", "--app", "1").exitCode == 0)
    #expect(try folder.run("token", "inspect", his.text).exitCode == 1)
    #expect(try folder.run("token", "inspect", other.text).exitCode == 0)
  }

  @Test("a token that this gateway did not sign is not revoked")
  func revokeForeign() throws {
    let result = try folder.run("token", "revoke", String(try token().text.dropLast(8)) + "AAAAAAAA")
    #expect(result.exitCode == 1)
    #expect(result.complaints.count == 1)
    #expect(try folder.shell("ls var/gateway.db").exitCode != 0)
  }

  @Test("with the store gone inspect says that revocation is not known, and revoke fails")
  func storeGone() throws {
    let issued = try token()
    let environment = ["SPEED_STORE_URL": "mariadb://speed@127.0.0.1:1/speed"]
    let inspected = try folder.run("token", "inspect", issued.text, environment: environment)
    #expect(inspected.exitCode == 0)
    #expect(inspected.standardOutput.contains("not known: the store is not available"))
    let revoked = try folder.run("token", "revoke", issued.text, environment: environment)
    #expect(revoked.exitCode == 1 && revoked.complaints.count == 1)
  }

  @Test("commands beside a running process leave it its log: what it commits after them is seen, and stays")
  func besideRunningProcess() async throws {
    // This process stands for the gateway, with a connection that writes and one that reads.
    let logger = Logger(level: .error)
    let store = StoreAddress.sqlite(path: folder.path("var/gateway.db"))
      .open(migrations: IdentitySchema.migrations, logger: logger)
    let revocations = Revocations(store: store, clock: SystemClock(), logger: logger)
    try await store.migrate()
    try await revocations.poll()
    let issued = try token()
    for words in [["store", "check"], ["token", "inspect", issued.text]] {
      let result = try CommandResult.run([Built.command] + words, folder: folder.path(""))
      #expect(result.exitCode == 0)
    }
    #expect(try folder.shell("ls var/gateway.db-wal").exitCode == 0)
    try await revocations.revoke(Revocation(.token(jti: issued.token.id), expiresAt: issued.token.expiresAt))
    let inspected = try folder.run("token", "inspect", issued.text)
    #expect(inspected.exitCode == 1 && inspected.standardOutput.contains("it was revoked"))
  }
}
