import Foundation
import ProviderKit
import Testing

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
        replayKeys: [ReplayKey(digest: [1], expiresAt: .min)], authorizationCode: "c"))
    try expectRoundTrip(VerifiedIdentity(issuer: "i", subject: "s", replayKeys: []))
    try expectRoundTrip(ProviderFailure(status: 503, code: "c", message: "m", reason: "r", retryAfter: 3))
    try expectRoundTrip(VerifiedToken(keyID: "k", algorithm: .es256, payload: [0x7B]))
    for failure in [.malformed, .unacceptableAlgorithm, .unknownKey, .badSignature, .unavailable(retryAfter: 7)]
      as [KeyServiceFailure]
    {
      try expectRoundTrip(failure)
    }
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
  }
}
