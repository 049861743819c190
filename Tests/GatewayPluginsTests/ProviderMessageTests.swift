import Foundation
import ProviderKit
import Testing

@testable import GatewayPlugins

@Suite("The messages between gateway and provider")
struct ProviderMessageTests {
  @Test("every message survives the way to another process and back")
  func codable() throws {
    let app = AppDescription(
      appID: .max, name: "Alpha", domains: ["a.example"], bundleIDs: ["a", "b"], conflictedBundleIDs: ["b"],
      teamID: "T", servicesID: "s")
    try expectRoundTrip(app)
    try expectRoundTrip(SignInRequest(app: app, route: "/x", body: [0, 255], requestID: "r"))
    try expectRoundTrip(
      VerifiedIdentity(
        issuer: "i", team: "T", subject: "s", email: "e@example.org", emailVerified: true, isPrivateEmail: true,
        fullName: "Zoë 🚲",
        replayKeys: [ReplayKey(digest: [1], expiresAt: .min)], client: "c", followUp: [3]))
    try expectRoundTrip(VerifiedIdentity(issuer: "i", subject: "s", replayKeys: []))
    try expectRoundTrip(ProviderFailure(status: 503, code: "c", message: "m", reason: "r", retryAfter: 3))
    try expectRoundTrip(VerifiedToken(keyID: "k", algorithm: .es256, payload: [0x7B]))
    for failure in [.malformed, .unacceptableAlgorithm, .unknownKey, .badSignature, .unavailable(retryAfter: 7)]
      as [KeyServiceFailure]
    {
      try expectRoundTrip(failure)
    }
    let grant = ProviderGrant(client: "c", secret: [1, 2])
    for task in [.followUp([1]), .release(grant), .check(grant)] as [ProviderTask] {
      try expectRoundTrip(TaskRequest(app: app, task: task))
    }
    let refusal = ProviderFailure(status: 409, code: "c", message: "m", reason: "r")
    for outcome in [.done, .granted(grant), .withdrawn, .refused(refusal)] as [TaskOutcome] {
      try expectRoundTrip(outcome)
    }
    try expectRoundTrip(TaskFailure("r", isFinal: true))
    try expectRoundTrip(DeletionRequest(app: app, subject: "s", client: "c", body: [1], requestID: "r"))
    let event = ProviderEvent(.accountDeleted, issuer: "i", team: nil, subject: "s", time: 5)
    try expectRoundTrip(NoticeRequest(app: app, body: [1], requestID: "r"))
    try expectRoundTrip(ProviderNotice(replayKey: ReplayKey(digest: [1], expiresAt: 2), events: [event]))
    let start = WebSignInRequest(
      app: app, callbackURL: "c", state: "s", nonce: "n", wantsPage: true, scriptNonce: "x", requestID: "r")
    try expectRoundTrip(start)
    for step in [.give(subject: "s", target: "t"), .take(transferID: "i")] as [TransferRequest.Step] {
      try expectRoundTrip(TransferRequest(app: app, client: "c", step: step, session: [1]))
    }
    for result in [.given("i"), .taken(subject: "s", email: nil, isPrivateEmail: true)] as [TransferAnswer.Result] {
      try expectRoundTrip(TransferAnswer(result, session: []))
    }
    for step in [.redirect("u"), .page(html: "h", scriptOrigin: "o")] as [WebStep] { try expectRoundTrip(step) }
    try expectRoundTrip(WebCallback(app: app, callbackURL: "c", nonce: "n", fields: ["a": "b"], requestID: "r"))
    for outcome in [.declined, .identity(VerifiedIdentity(issuer: "i", subject: "s", replayKeys: []))] as [WebOutcome] {
      try expectRoundTrip(outcome)
    }
    try expectRoundTrip(FormPost(to: "https://x.example", [FormPost.Field("n", "v")], bearer: "b"))
    try expectRoundTrip(CallAnswer(status: 200, body: [1]))
    try expectRoundTrip(CallFailure("r"))
    try expectRoundTrip(ProviderManifest(name: "n", version: "1"))
    try expectRoundTrip(ProviderABI.current)
  }

  @Test("messages that hold credentials or personal data print their type alone")
  func redaction() {
    let app = AppDescription(appID: 1, name: "Alpha")
    let values: [any Redacted] = [
      SignInRequest(app: app, route: "/x", body: [1], requestID: "r"),
      VerifiedIdentity(issuer: "i", subject: "s", replayKeys: []),
      VerifiedToken(keyID: "k", algorithm: .rs256, payload: [1]),
      ProviderGrant(client: "c", secret: [1]), TaskRequest(app: app, task: .followUp([1])), ProviderTask.followUp([1]),
      TaskOutcome.done, DeletionRequest(app: app, subject: "s", client: nil, body: [], requestID: "r"),
      NoticeRequest(app: app, body: [], requestID: "r"),
      ProviderNotice(replayKey: ReplayKey(digest: [], expiresAt: 0), events: []),
      ProviderEvent(.emailEnabled, issuer: "i", team: nil, subject: "s", time: 0),
      FormPost(to: "u", []), FormPost.Field("n", "v"), CallAnswer(status: 200, body: []),
    ]
    for value in values {
      let name = "<\(type(of: value))>"
      #expect(String(describing: value) == name)
      #expect(String(reflecting: value) == name)
      #expect(Mirror(reflecting: value).children.isEmpty)
    }
  }

  private func expectRoundTrip<Message: Codable & Equatable>(_ message: Message) throws {
    let sent = try JSONEncoder().encode([message])
    #expect(try JSONDecoder().decode([Message].self, from: sent) == [message])
    #expect(try MessageCoder.decode([Message].self, from: MessageCoder.encode([message])) == [message])
  }
}
