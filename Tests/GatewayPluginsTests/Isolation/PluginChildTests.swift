import Foundation
import ProviderKit
import Testing

@testable import GatewayPlugins

@Suite("The process of an isolated plugin") struct PluginChildTests {
  @Test("it says who it is, and answers calls under their numbers, also several at once")
  func calls() throws {
    let child = try ChildFixture()
    #expect(child.hello.manifest == ProviderManifest(name: "misbehaving", version: "1.0.0"))
    #expect(child.hello.refusedCredential.code == "refused_here")
    #expect(try child.subject("sign Ada") == "Ada")
    let (slow, fast) = (try child.begin("wait 500"), try child.begin("sign Bo"))
    guard case .answer(fast, .identity(let first)) = try child.next(),
      case .answer(slow, .identity(let second)) = try child.next()
    else { throw ChildFixture.Surprise() }
    #expect(first.subject == "Bo" && second.subject == "wait")
  }

  @Test("a refusal comes with all that the provider says of it")
  func refusals() throws {
    let failure = ProviderFailure(status: 401, code: "no_such", message: "Refused.", reason: "as told")
    #expect(try ChildFixture().ask("refuse no_such") == .refused(failure))
  }

  @Test("the package's own plugin runs in it as it is")
  func ownPlugin() throws {
    let child = try ChildFixture(library: PluginWorkshop.appleLibrary, name: "apple-native")
    #expect(child.hello.manifest.name == "apple-native")
    guard case .refused(let failure) = try child.ask("nothing") else { throw ChildFixture.Surprise() }
    #expect(failure.code == "ios_not_configured")
  }

  @Test("every service is asked of the gateway, with its arguments, and its answer comes back")
  func services() throws {
    let child = try ChildFixture()
    var asked: [ServiceCall] = []
    let told = try child.subject("services") { question in
      asked.append(question)
      return Self.answers[min(asked.count, Self.answers.count) - 1]
    }
    #expect(asked == Self.questions)
    #expect(
      told.split(separator: "; ").map(String.init) == [
        "17", "[\"key\": \"text\"]", "[1, 2, 3]", "kid", "kid", "204", "signed", "[9]", "[4]", "[nil, Optional(5)]",
        "true", "derived", "false", "()", "41", "42", "()", "true", "()",
      ])
  }

  @Test("every service's failure comes back as what it is")
  func failures() throws {
    let child = try ChildFixture()
    var count = 0
    let told = try child.subject("services") { question in
      count += 1
      switch question {
      case .now, .settings, .sha256, .random: return Self.answers[count - 1]
      case .verify, .verifyOfIssuer: return .keyFailure(.unavailable(retryAfter: count))
      case .register, .verifyPasskey: return .passkeyFailure(PasskeyFailure("passkey \(count)"))
      default: return .callFailure(CallFailure("call \(count)"))
      }
    }
    let failed = told.split(separator: "; ").filter { $0.hasPrefix("failed: ") }.map { $0.dropFirst(8) }
    #expect(
      failed == [
        "unavailable(retryAfter: 4)", "unavailable(retryAfter: 5)", "call 6", "call 7", "call 8", "call 10", "call 11",
        "call 12", "call 13", "call 14", "passkey 15", "passkey 16", "call 17", "call 18", "call 19",
      ])
  }

  @Test("an answer to another question is a failure, and ends the process where there can be none")
  func foreignAnswers() throws {
    let child = try ChildFixture()
    #expect(throws: (any Error).self) { try child.subject("services") { _ in .flag(true) } }
    #expect(child.end() == "exit status 6")
  }

  @Test("a call that nobody waits for any more is cancelled")
  func cancel() throws {
    let child = try ChildFixture()
    let call = try child.begin("sleep")
    try child.say(.cancel(id: call))
    guard case .answer(call, .identity(let identity)) = try child.next() else { throw ChildFixture.Surprise() }
    #expect(identity.subject == "cancelled")
    // One of no call is no matter.
    try child.say(.cancel(id: 99))
    #expect(try child.subject("sign Ada") == "Ada")
  }

  @Test("it answers pings while it has a thread to do so, and not where all are held up")
  func pings() throws {
    let child = try ChildFixture()
    try child.begin("sleep")
    try child.say(.ping(7))
    #expect(try child.next() == .pong(7))
    try child.begin("spin")
    usleep(300_000)
    try child.say(.ping(8))
    #expect(!child.speaks(within: 1000))
  }

  @Test("an answer that is too large is a failure of its call alone, and so is a question")
  func largeMessages() throws {
    let child = try ChildFixture()
    #expect(try child.ask("huge") == .failed(TaskFailure("the provider's answer is too large")))
    #expect(try child.subject("large") == "what the provider wants is too large")
    #expect(try child.subject("sign Ada") == "Ada")
  }

  @Test("what ends the process is told by how it ended", arguments: [("trap", "SIG"), ("exit 3", "exit status 3")])
  func ends(order: String, end: String) throws {
    let child = try ChildFixture()
    try child.begin(order)
    #expect(child.end().hasPrefix(end))
  }

  @Test("no message of the gateway's: the process ends")
  func garbage() throws {
    let child = try ChildFixture()
    try child.sayBytes([0, 0, 0, 2, 0xFF, 0xFF])
    #expect(child.end() == "exit status 5")
  }

  @Test("a library that can't be loaded is told with its reason")
  func failedLoad() throws {
    let failure = #expect(throws: ChildFixture.Ended.self) {
      _ = try ChildFixture(library: PluginWorkshop.appleLibrary, name: "pear")
    }
    #expect(failure?.told == .failed("the library is apple-native 1.0.0, plugin.yaml says pear 1.0.0"))
  }

  private static let challenge = PasskeyChallenge(bytes: [7], relyingParty: "rp", origin: "o")
  private static let passkey = Passkey(id: [1], publicKey: [2], signCount: 3, isBackedUp: true)

  private static let questions: [ServiceCall] = [
    .now, .settings, .sha256([1, 2]), .verify(token: "t", keySetURL: "u", algorithms: [.rs256]),
    .verifyOfIssuer(token: "t", issuer: "i", algorithms: [.es256]), .askVerifier([3]), .sign([4]),
    .post(FormPost(to: "u", [.init("n", "v")])), .random(9), .records(["a", "b"]), .commit([.remove("a")]),
    .derive(password: "p"), .isPassword("p", derivation: "d"),
    .send(ProviderMail(to: "r", subject: "s", text: "t")),
    .register(PasskeyRegistration(clientData: [5], attestation: [6]), challenge: challenge),
    .verifyPasskey(
      PasskeyAssertion(clientData: [5], authenticatorData: [6], signature: [8]), passkey: passkey,
      challenge: challenge),
    .keep(VerifiedIdentity(issuer: "i", subject: "kept", replayKeys: [])),
    .isRegistered(subject: "s", issuer: "i"), .endSessions(subject: "s", issuer: "i"),
  ]

  /// Those of `questions`, in their order.
  private static let answers: [ServiceAnswer] = [
    .time(17), .settings(["key": "text"]), .bytes([1, 2, 3]),
    .token(VerifiedToken(keyID: "kid", algorithm: .rs256, payload: [])),
    .token(VerifiedToken(keyID: "kid", type: "JWT", algorithm: .es256, payload: [0])),
    .answer(CallAnswer(status: 204, body: [])), .text("signed"), .answer(CallAnswer(status: 200, body: [9])),
    .bytes([4]), .records([nil, ProviderRecord(key: "b", value: [1], version: 5)]), .flag(true), .text("derived"),
    .flag(false), .done, .passkey(Passkey(id: [1], publicKey: [2], signCount: 41, isBackedUp: false)),
    .passkey(Passkey(id: [1], publicKey: [2], signCount: 42, isBackedUp: false)), .done, .flag(true), .done,
  ]
}
