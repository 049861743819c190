import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("The request's fields, and the identity that comes out")
struct ProfileTests {
  @Test("a good token becomes an identity with the app's team, the subject and the address")
  func identity() async throws {
    let identity = try await SignInCase().run()
    #expect(identity.team == "ABCDE12345")
    #expect(identity.subject == "000001.0a0a0a0a.0001")
    #expect(identity.email == "ada@example.org")
    #expect(identity.emailVerified)
    #expect(!identity.isPrivateEmail)
    #expect(identity.client == "com.example.alpha")
    #expect(identity.followUp == nil)
  }

  @Test("B31 B34 an address is verified by true or \"true\" alone, and sign-in works with anything")
  func verified() async throws {
    for (value, isVerified) in [
      ("true", true), (true, true), ("false", false), (false, false), (NSNull(), false), (1, false),
      ("TRUE", false), ([], false), (Absent(), false),
    ] as [(Any, Bool)] {
      let identity = try await SignInCase().with { $0.claims["email_verified"] = value }.run()
      #expect(identity.emailVerified == isVerified, "\(value)")
      #expect(identity.email == "ada@example.org")
    }
  }

  @Test("B33 B50 an address is private where the token says so or Apple's relay has it, and not where both are silent")
  func privateAddress() async throws {
    for (address, value, isPrivate) in [
      ("ada@example.org", Absent(), false), ("ada@example.org", "false", false), ("ada@example.org", true, true),
      ("x1@privaterelay.appleid.com", "true", true), ("x1@PrivateRelay.AppleID.com", Absent(), true),
      ("x1@evil-privaterelay.appleid.com", Absent(), false),
    ] as [(String, Any, Bool)] {
      let identity = try await SignInCase().with {
        $0.claims["email"] = address
        $0.claims["is_private_email"] = value
      }.run()
      #expect(identity.isPrivateEmail == isPrivate, "\(address) \(value)")
      #expect(identity.email == address)
    }
  }

  @Test("B35 without a usable address sign-in works, and no address comes out")
  func noAddress() async throws {
    for value in [
      Absent(), NSNull(), "", 1, ["ada@example.org"], "ada", "@example.org", "ada@", "a@b\u{0}", "a@b\nc",
      String(repeating: "a", count: 320) + "@example.org",
    ] as [Any] {
      let identity = try await SignInCase().with { $0.claims["email"] = value }.run()
      #expect(identity.email == nil)
      #expect(!identity.emailVerified)
    }
  }

  @Test("B41 without fullName there is no name; the address is none")
  func noName() async throws {
    #expect(try await SignInCase().run().fullName == nil)
    #expect(try await SignInCase().with { $0.body["fullName"] = NSNull() }.run().fullName == nil)
  }

  @Test("B46 B47 B49 a name comes out as typed, whatever its length and characters")
  func names() async throws {
    let family = "👩" + String(repeating: "\u{200D}👧", count: 500)
    for name in ["Zoë 🚲 ✨ Ω", String(repeating: "é", count: 5000), family, "<script>alert(1)</script>", " \n "] {
      let identity = try await SignInCase().with { $0.body["fullName"] = name }.run()
      #expect(identity.fullName.map { Array($0.utf8) } == Array(name.utf8))
    }
  }

  @Test(
    "a field of another type is told by name",
    arguments: ["identityToken", "rawNonce", "fullName", "authorizationCode"])
  func types(field: String) async throws {
    for value in [1, true, ["a"], ["a": "b"]] as [Any] {
      let failure = try #require(await SignInCase().with { $0.body[field] = value }.failure())
      #expect(failure.status == 400)
      #expect(failure.code == "invalid_request")
      #expect(failure.message == "\(field) must be a string.")
    }
  }

  @Test("a body that is no JSON object is an invalid request", arguments: ["", "[]", "1", "\"a\"", "{", "{\"a\":}"])
  func bodies(text: String) async throws {
    let failure = try #require(await SignInCase().with { $0.bodyText = text }.failure())
    #expect(failure.code == "invalid_request")
    #expect(failure.message == "The body must be a JSON object.")
  }

  @Test("JSON nested beyond all reason is refused, in the body and in the claims")
  func nesting() async {
    let deep = "{\"a\":" + String(repeating: "[", count: 30_000)
    #expect(await SignInCase().with { $0.bodyText = deep }.outcome() == "400 invalid_request (body)")
    let token = FakeServices.token(header: ["alg": "RS256", "kid": "key-2"], payload: Data(deep.utf8), key: "secret-2")
    #expect(
      await SignInCase().with { $0.token = token }.outcome()
        == "401 invalid_identity_token (claims are no JSON object)")
  }

  @Test("without an identity token the token is what is wrong")
  func noToken() async {
    let absent = SignInCase().with { $0.body["identityToken"] = Absent() }
    #expect(await absent.outcome() == "401 invalid_identity_token (no identity token)")
    let null = SignInCase().with { $0.body["identityToken"] = NSNull() }
    #expect(await null.outcome() == "401 invalid_identity_token (no identity token)")
  }

  @Test("no failure, and nothing that a provider handles, prints a token, a nonce or an address")
  func secrecy() async throws {
    let sample = SignInCase().with { $0.body["fullName"] = "Ada" }
    let identity = try await sample.run()
    #expect("\(identity) \(String(reflecting: identity))" == "<VerifiedIdentity> <VerifiedIdentity>")
    var dumped = ""
    dump(identity, to: &dumped)
    #expect(!dumped.contains("ada"))
    for fault in ["iss", "aud", "nonce", "exp"] {
      let failure = try #require(await sample.with { $0.claims[fault] = "marker-of-input" }.failure())
      #expect(!"\(failure)".contains("marker"))
    }
  }
}
