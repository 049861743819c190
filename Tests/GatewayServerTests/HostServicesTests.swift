import GatewayBase
import GatewayIdentity
import GatewayOutbound
import GatewayStore
import GatewayStoreTesting
import GatewayPlugins
import GatewayTesting
import Glibc
import ProviderKit
import Testing

@testable import GatewayServer

@Suite("What the gateway does for providers") struct HostServicesTests {
  /// Services of one plugin in the name of app 7, on a store of their own.
  private func withServices(
    configuration: String = "log: { level: error }", mailer: Mailer? = nil, passwords: PasswordWork = PasswordWork(),
    _ body: (HostServices) async throws -> Void
  ) async throws {
    let database = try await GatewayStoreTesting.TestDatabase(.sqlite)
    let (clock, logger) = (SystemClock(), Logger(level: .error))
    let (store, keys) = (database.open(IdentitySchema.migrations), SealingKeys(.generate()))
    let accounts = Accounts(
      store: store, keys: keys, revocations: RevocationSet(), clock: clock, logger: logger,
      appUserUUID: { app, user in "\(app)-\(user)" })
    let host = ProviderHost(
      try gateway(configuration),
      means: ProviderMeans(
        accounts: accounts, records: ProviderRecords(store: store, keys: keys, clock: clock), passwords: passwords,
        mailer: mailer),
      environment: [:], clock: clock, logger: logger)
    try await body(HostServices(provider: "p", settings: [:], host: host, app: 7, signInKey: nil))
    await database.remove()
  }

  private func letter(to recipient: String = "ada@example.org", subject: String = "s") -> ProviderMail {
    ProviderMail(to: recipient, subject: subject, text: "t")
  }

  @Test("records come back as they were put, and a broken condition changes nothing")
  func records() async throws {
    try await withServices { services in
      #expect(try await services.commit([.put("a", [1], if: .absent), .put("b", [2], if: .any)]))
      #expect(try await !services.commit([.put("a", [3], if: .absent), .remove("b")]))
      let found = try await services.records(["b", "none", "a"])
      #expect(found.map { $0?.value } == [[2], nil, [1]])
      let version = try #require(found[2]?.version)
      let past = services.now - 1
      #expect(try await services.commit([.put("a", [4], if: .version(version), expiresAt: past)]))
      #expect(try await services.records(["a"]) == [nil])
      await #expect(throws: CallFailure.self) { try await services.records([""]) }
    }
  }

  @Test("a password is derived and compared, and one without bounds is not taken")
  func passwords() async throws {
    try await withServices { services in
      let kept = try await services.derive(password: "correct horse")
      #expect(try await services.isPassword("correct horse", of: kept))
      #expect(try await !services.isPassword("wrong horse", of: kept))
      #expect(try await !services.isPassword("correct horse", of: nil))
      let long = String(repeating: "a", count: Limits.password + 1)
      await #expect(throws: CallFailure("the password is too long")) { try await services.derive(password: long) }
    }
  }

  @Test("where too many passwords wait, the next one is told at once")
  func manyPasswords() async throws {
    let work = PasswordWork(threads: 1, queueLimit: 1)
    try await withServices(passwords: work) { services in
      let outcomes = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do throws(CallFailure) {
              _ = try await services.derive(password: "x")
              return nil
            } catch {
              return error.reason
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.contains(nil) && outcomes.contains("too many passwords wait"))
    }
  }

  @Test("random bytes are as many as asked for, within a bound, and not the same twice")
  func random() async throws {
    try await withServices { services in
      let bytes = await services.random(32)
      #expect(bytes.count == 32)
      #expect(await services.random(32) != bytes)
      #expect(await services.random(-1).isEmpty)
      #expect(await services.random(Int.max).count == Limits.randomBytes)
    }
  }

  @Test("without a relay no mail is taken; with one, only for an address, and with a subject of one line")
  func mail() async throws {
    try await withServices { services in
      await #expect(throws: CallFailure("no mail relay is configured")) { try await services.send(letter()) }
    }
    let relay = MailRelay(
      url: try ServiceURL("smtp://127.0.0.1:9", schemes: [.smtp]), greeting: HostName(literal: "localhost"), login: nil)
    let mailer = try Mailer(relay: relay, queueLimit: 1, pauses: [60_000], logger: Logger(level: .error))
    try await withServices(configuration: "mail: { smtp: smtp://127.0.0.1:9, from: a@b.example }", mailer: mailer) {
      services in
      for address in ["", "ada", "ada@example.org\r\nRCPT TO:<eve@example.org>", "a@b.example,c@d.example"] {
        await #expect(throws: CallFailure("the recipient's address is none")) {
          try await services.send(letter(to: address))
        }
      }
      await #expect(throws: CallFailure("the subject is no line")) {
        try await services.send(letter(subject: "a\r\nBcc: eve@example.org"))
      }
      #expect(mailer.figures.waiting == 0)
      try await services.send(letter(to: "ada@bücher.example"))
      #expect(mailer.figures.waiting == 1)
    }
  }

  @Test("a shared account is kept, known in an app once it signed in there, and its sessions end")
  func sharedAccounts() async throws {
    try await withServices { services in
      let person = VerifiedIdentity(issuer: "speed", subject: "s-1", fullName: "Ada", replayKeys: [], isShared: true)
      try await services.keep(person)
      #expect(try await !services.isRegistered("s-1", issuer: "speed"))
      try await services.endSessions(of: "s-1", issuer: "speed")
      let own = VerifiedIdentity(issuer: "speed", subject: "s-1", replayKeys: [])
      await #expect(throws: CallFailure("the identity is not of a shared account")) { try await services.keep(own) }
    }
  }

  @Test("a call about no app has no app to ask for, and a command keeps and sends nothing")
  func nothing() async throws {
    try await withServices { services in
      let none = HostServices(provider: "p", settings: [:], host: services.host, app: nil, signInKey: nil)
      await #expect(throws: CallFailure("the call is about no app")) {
        try await none.isRegistered("s-1", issuer: "speed")
      }
    }
    let host = ProviderHost(
      try gateway("log: { level: error }"), environment: [:], clock: SystemClock(), logger: Logger(level: .error))
    let services = HostServices(provider: "p", settings: [:], host: host, app: 7, signInKey: nil)
    await #expect(throws: CallFailure.self) { try await services.records(["a"]) }
    await #expect(throws: CallFailure.self) { try await services.derive(password: "x") }
    await #expect(throws: CallFailure.self) { try await services.send(letter()) }
  }

  @Test("the start says where apps list a plugin that sends mail, and no relay is configured")
  func startWarning() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("mailing")
    try folder.write(
      "mailing/plugin.yaml",
      "name: mailing\nversion: 1.0.0\nlibrary: libMailing.so\nmail: true\n"
        + "routes: [{ method: POST, path: /api/platform/auth/mailing }]\n")
    let plugins = PluginCatalog.load(folder: folder.path)
    func warning(_ providers: String, _ configuration: String) throws -> String {
      var ends: [Int32] = [-1, -1]
      #expect(unsafe pipe(&ends) == 0)
      defer { close(ends[0]) }
      let apps = directory([yaml(1, "a.localhost").replacing("[apple-native]", with: "[\(providers)]")])
      try gateway(configuration).warnOfMissingMail(for: apps, plugins, Logger(descriptor: ends[1], level: .warning))
      close(ends[1])
      var block = [UInt8](repeating: 0, count: 4096)
      let count = unsafe read(ends[0], &block, block.count)
      return String(decoding: block.prefix(max(0, count)), as: UTF8.self)
    }
    #expect(try warning("mailing", "loops: 1").contains("no mail relay is configured"))
    #expect(try warning("mailing", "mail: { smtp: smtp://127.0.0.1:9, from: a@b.example }").isEmpty)
    #expect(try warning("apple-native", "loops: 1").isEmpty)
  }
}
