import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("A relayed token: name and address") struct ProfileTests {
  @Test("B31 an address is verified by true or \"true\" at the top level alone")
  func verified() async throws {
    for (value, isVerified) in [
      (true, true), ("true", true), (false, false), ("false", false), (1, false), ("TRUE", false), (NSNull(), false),
      ([], false), (Absent(), false),
    ] as [(Any, Bool)] {
      let identity = try await RelayCase().with { $0.claims["email_verified"] = value }.run()
      #expect(identity.email == "ada@example.org" && identity.emailVerified == isVerified)
    }
  }

  @Test("what users write themselves below the top level says nothing")
  func userMetadata() async throws {
    let metadata: [String: Any] = ["email": "victim@example.org", "email_verified": true, "name": "V"]
    let identity = try await RelayCase().with {
      $0.claims["user_metadata"] = metadata
      for claim in ["email", "email_verified", "name"] { $0.claims[claim] = Absent() }
    }.run()
    #expect(identity.email == nil && !identity.emailVerified && identity.fullName == nil)
  }

  @Test("B35 without an address, or with a text that is none, there is none, and the sign-in works")
  func noAddress() async throws {
    for email in ["", "ada", "@b", "a@", "a\n@b.example", String(repeating: "a", count: 320) + "@b", 1, Absent()]
      as [Any]
    {
      let identity = try await RelayCase().with { $0.claims["email"] = email }.run()
      #expect(identity.email == nil && !identity.emailVerified)
    }
  }

  @Test("B43 a name that was told once, at the first hop, is carried on: by the body, the token or the verifier")
  func carriedName() async throws {
    #expect(try await RelayCase().with { $0.claims["name"] = Absent() }.run().fullName == nil)
    let told = RelayCase().with {
      $0.claims["name"] = Absent()
      $0.body["fullName"] = "Ada Once"
    }
    #expect(try await told.run().fullName == "Ada Once")
    let vouched = RelayCase.vouched
    await vouched.services.answer((200, #"{"subject":"user-1","name":"Ada Vouched"}"#))
    #expect(try await vouched.run().fullName == "Ada Vouched")
  }

  @Test("the name is the body's, else the claim's, and never the address")
  func name() async throws {
    #expect(try await RelayCase().with { $0.body["fullName"] = "Zoë 🚲" }.run().fullName == "Zoë 🚲")
    #expect(try await RelayCase().run().fullName == "Ada Claim")
    #expect(try await RelayCase().with { $0.claims["name"] = 1 }.run().fullName == nil)
    #expect(try await RelayCase().with { $0.claims["name"] = Absent() }.run().fullName == nil)
  }
}
