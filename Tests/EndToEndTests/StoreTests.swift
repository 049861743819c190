import GatewayTesting
import Testing

/// A store that a test gateway runs on.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, mariaDB

  var testDescription: String { rawValue }

  /// The stores that are there.
  static let available: [StoreKind] = TestDatabase.isAvailable ? [.sqlite, .mariaDB] : [.sqlite]
}

/// What must hold on every store, when it is there, when it is not, and when the process dies.
@Suite("Stores", .onEveryWire) struct StoreTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private static let bundleID = "com.example.relay"

  /// - Parameter database: nil is SQLite in the gateway's own folder.
  private func relay(_ database: TestDatabase?) throws -> Relay {
    try Relay(
      ports: [stage.backend.port], sections: database.map { ["store": "{ url: \"\($0.url())\" }"] } ?? [:])
  }

  private func database(_ kind: StoreKind) throws -> TestDatabase? { kind == .mariaDB ? try TestDatabase() : nil }

  private func token(_ subject: String = TokenRequest.freshSubject()) throws -> IdentityToken {
    try stage.sandbox.token(TokenRequest(audience: Self.bundleID, subject: subject))
  }

  @Test("sign-in, replay, races, profile and sign-out are the same on every store", arguments: StoreKind.available)
  func same(kind: StoreKind) throws {
    let database = try database(kind)
    let relay = try relay(database)
    let subject = TokenRequest.freshSubject()
    let tokens = try (0..<20).map { _ in try token(subject) }
    let answers = try Parallel.run(20) { try relay.gateway.signIn(app: 201, tokens[$0], ["fullName": "Zoë 🚲"]).json() }
    #expect(Set(answers.map { $0["user"]["id"].string }).count == 1)
    #expect(answers.filter { $0["isNewAccount"] == true }.count == 1)
    let shared = try token()
    let statuses = try Parallel.run(20) { _ in try relay.gateway.signIn(app: 201, shared).status }
    #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 401 }.count == 19)
    let bearer = try #require(answers[0]["token"].string)
    #expect(try relay.gateway.me(bearer).json()["user"]["name"] == "Zoë 🚲")
    #expect(try relay.gateway.signOut(bearer).status == 204)
    #expect(try relay.gateway.me(bearer).status == 401)
  }

  @Test("a store that was never there: good tokens pass, sign-in is 503 with Retry-After")
  func neverThere() throws {
    let shared = try TemporaryFolder()
    let keys = ["tokens": "{ keys: \(shared.path("keys")) }"]
    let healthy = try Relay(ports: [stage.backend.port], sections: keys)
    try shared.write("file", "no folder")
    var tenant = TenantFile(201, Relay.host, bundleIDs: [Self.bundleID], ports: [stage.backend.port])
    tenant.routes = ["{ path: /, backend: main }"]
    let broken = try GatewayProcess(
      GatewaySetup(
        keysURL: stage.sandbox.keysURL, tenants: ["relay.yaml": tenant.yaml],
        sections: keys.merging(["store": "{ url: \"sqlite:\(shared.path("file"))/gateway.db\" }"]) { $1 }))
    #expect(try broken.exchange(healthy.request()).status == 200)
    let answer = try broken.signIn(app: 201, try token())
    #expect(answer.status == 503)
    #expect(answer.fields["Retry-After"] != nil)
    #expect(try broken.adminStatus("/healthz") == 200)
  }

  @Test("a store that another process holds: good tokens pass, sign-in is 503 and works again afterwards")
  func held() throws {
    let relay = try relay(nil)
    let script = """
      import sqlite3, sys, time
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("BEGIN IMMEDIATE")
      print("held", flush=True)
      time.sleep(600)
      """
    let holder = try ChildProcess(
      ["python3", "-c", script, relay.gateway.folder.path("var/gateway.db")], environment: ProcessEnvironment.inherited,
      folder: "/")
    #expect(holder.waitForLine { $0 == "held" ? true : nil } == true)
    let token = try token()
    let signIn = Parallel.start(1) { _ in try relay.gateway.signIn(app: 201, token) }
    for _ in 0..<20 { #expect(try relay.exchange().status == 200) }
    let answer = try signIn.wait()[0]
    #expect(answer.status == 503)
    #expect(answer.fields["Retry-After"] != nil)
    holder.kill()
    _ = holder.waitForEnd()
    #expect(try eventually { try relay.gateway.signIn(app: 201, token).status == 200 }, "the refusals burnt nothing")
  }

  @Test(
    "MariaDB cut off: good tokens pass, sign-in is 503 with Retry-After and works again afterwards",
    .enabled(if: TestDatabase.isAvailable, "SPEED_TEST_MARIADB names no server"))
  func cutOff() throws {
    let database = try TestDatabase()
    let wire = try PortForwarder(to: database.serverPort)
    let relay = try Relay(
      ports: [stage.backend.port], sections: ["store": "{ url: \"\(database.url(port: wire.port))\" }"])
    #expect(try relay.gateway.me(relay.bearer).status == 200)
    wire.cut()
    #expect(try relay.exchange().status == 200)
    let token = try token()
    let answer = try relay.gateway.signIn(app: 201, token)
    #expect(answer.status == 503)
    #expect(answer.fields["Retry-After"] != nil)
    wire.mend()
    #expect(try eventually { try relay.gateway.signIn(app: 201, token).status == 200 })
  }

  @Test(
    "kill -9 in the middle of sign-ins: what was answered is there, and nothing is half there",
    arguments: StoreKind.available)
  func killed(kind: StoreKind) throws {
    let database = try database(kind)
    let relay = try relay(database)
    struct Attempt: Sendable {
      let subject: String
      let token: IdentityToken
      var answer: JSON?
    }
    let prepared = try (0..<400).map { _ -> Attempt in
      let subject = TokenRequest.freshSubject()
      return Attempt(subject: subject, token: try token(subject), answer: nil)
    }
    let acknowledged = Monitor(0)
    let run = Parallel.start(8) { thread in
      try stride(from: thread, to: prepared.count, by: 8).map { index -> Attempt in
        var attempt = prepared[index]
        if let answer = try? relay.gateway.signIn(app: 201, attempt.token), answer.status == 200 {
          attempt.answer = try answer.json()
          acknowledged.change { $0 += 1 }
        }
        return attempt
      }
    }
    #expect(acknowledged.wait { $0 >= 40 ? true : nil } == true)
    relay.gateway.kill()
    let attempts = try run.wait().flatMap { $0 }
    try relay.gateway.start()
    for attempt in attempts.filter({ $0.answer != nil }) {
      let again = try relay.gateway.signIn(app: 201, try token(attempt.subject)).json()
      #expect(again["isNewAccount"] == false)
      #expect(again["user"]["id"] == attempt.answer?["user"]["id"])
      #expect(try relay.gateway.signIn(app: 201, attempt.token).status == 401, "its token stays burnt")
      #expect(try relay.gateway.me(attempt.answer?["token"].string ?? "").status == 200)
    }
    for attempt in attempts.filter({ $0.answer == nil }) {
      // Either all of it happened or nothing did: an account with a burnt token, or neither.
      let retried = try relay.gateway.signIn(app: 201, attempt.token)
      let next = try relay.gateway.signIn(app: 201, try token(attempt.subject)).json()
      #expect(next["isNewAccount"] == false)
      if retried.status == 200 {
        #expect(try retried.json()["isNewAccount"] == true)
      } else {
        #expect(retried.status == 401)
      }
    }
  }
}
