import PluginTesting
import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Consent") struct ConsentTests {
  private let services = FakeServices()

  @Test("a person who is registered with the app goes straight through")
  func straight() async throws {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    let identity = try #require(try await guest.post(.consent, ["decision": "allow"]).identity)
    await services.register(identity.subject)
    #expect(try await guest.get(.entrance).identity?.subject == identity.subject)
  }

  @Test("linking always asks, and says what it is for")
  func linking() async throws {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    let identity = try #require(try await guest.post(.consent, ["decision": "allow"]).identity)
    await services.register(identity.subject)
    guest.visit = Guest.linking
    #expect(try await guest.get(.entrance).has("allow"))
    #expect(try await guest.post(.consent, ["decision": "allow"]).identity?.subject == identity.subject)
  }

  @Test("a no is a no, and asked again at the next visit")
  func decline() async throws {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    #expect(try await guest.post(.consent, ["decision": "deny"]).outcome == .declined)
    #expect(try await guest.get(.entrance).has("allow"))
  }

  @Test("nobody consents without being signed in, or by something else than yes", arguments: ["", "yes", "ALLOW"])
  func nothingElse(_ decision: String) async throws {
    var guest = Guest(services)
    #expect(try await guest.post(.consent, ["decision": "allow"]).path == "/platform/auth")
    try await guest.join("ada@example.org")
    let seen = try await guest.post(.consent, ["decision": decision])
    #expect(seen.outcome == nil && seen.path == "/platform/auth")
  }

  @Test("another account for the same visit signs this browser out")
  func otherAccount() async throws {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    let seen = try await guest.post(.signOut, [:])
    #expect(seen.path == "/platform/auth" && seen.query["appId"] == "1")
    #expect(try await guest.get(.entrance).has("sign-in"))
  }

  @Test("B49 a name that is markup is shown as text")
  func markup() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(
      .signUp, ["name": "<script>alert(1)</script>", "email": "ada@example.org", "password": Guest.password])
    let code = try #require(await services.letters.last?.code)
    try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": code])
    let page = try await guest.get(.entrance).markup
    #expect(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)"))
  }
}
