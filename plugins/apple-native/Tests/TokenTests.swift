import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("Apple's token: signature, issuer, times, audience")
struct TokenTests {
  @Test("the digest that these tests use is SHA-256")
  func digest() {
    #expect(hexDigest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("B11 an app without bundle IDs is told before the body is read")
  func noBundleIDs() async {
    let sample = SignInCase().with {
      $0.app = AppDescription(appID: 123, name: "Alpha", servicesID: "com.example.alpha")
      $0.bodyText = "{\"identityToken\":1}"
    }
    #expect(await sample.outcome() == "400 ios_not_configured (no bundle ID)")
  }

  @Test(
    "B13 B14 only the app's own bundle IDs are audiences",
    arguments: [
      "com.example.alpha.web", "com.other.app", "COM.EXAMPLE.ALPHA", "com.example", "com.example.alpha ",
      "com.example.\u{0430}lpha", "",
    ])
  func foreignAudience(audience: String) async {
    let sample = SignInCase().with { $0.claims["aud"] = audience }
    #expect(await sample.outcome() == "401 invalid_identity_token (audience)")
  }

  @Test("a look-alike that Swift's == takes for equal is another audience")
  func canonicallyEqualAudience() async {
    let sample = SignInCase().with {
      $0.app = AppDescription(appID: 1, name: "K", bundleIDs: ["com.example.K"])
      $0.claims["aud"] = "com.example.\u{212A}"
    }
    #expect(await sample.outcome() == "401 invalid_identity_token (audience)")
  }

  @Test("B17 an audience may be a list of one of the app's bundle IDs, and no other list")
  func audienceList() async {
    for (list, outcome) in [
      (["com.example.alpha"], "signed in"), (["com.example.alpha.beta"], "signed in"),
      (["com.example.alpha", "com.evil"], "401 invalid_identity_token (audience)"),
      (["com.evil", "com.example.alpha"], "401 invalid_identity_token (audience)"),
      (["com.evil"], "401 invalid_identity_token (audience)"), ([], "401 invalid_identity_token (audience)"),
    ] {
      #expect(await SignInCase().with { $0.claims["aud"] = list }.outcome() == outcome)
    }
  }

  @Test("an audience of another type is none")
  func audienceTypes() async {
    for audience in [Absent(), NSNull(), 1, true, ["a": "com.example.alpha"], [["com.example.alpha"]]] as [Any] {
      let sample = SignInCase().with { $0.claims["aud"] = audience }
      #expect(await sample.outcome() == "401 invalid_identity_token (audience)")
    }
  }

  @Test("a bundle ID that another app claims too signs nobody in; the app's other bundle IDs do")
  func conflict() async {
    let sample = SignInCase().with {
      $0.app = AppDescription(
        appID: 123, name: "Alpha", bundleIDs: ["com.example.alpha", "com.example.alpha.beta"],
        conflictedBundleIDs: ["com.example.alpha"])
    }
    #expect(await sample.outcome() == "403 bundle_id_conflict (bundle ID conflict)")
    #expect(await sample.with { $0.claims["aud"] = "com.example.alpha.beta" }.outcome() == "signed in")
  }

  @Test("B18 the issuer is the configured one, letter by letter, whatever discovery says")
  func issuer() async {
    for issuer in [
      "https://account.apple.com", "https://appleid.apple.com/", "appleid.apple.com", "", 1, NSNull(), Absent(),
      ["https://appleid.apple.com"],
    ] as [Any] {
      let sample = SignInCase().with { $0.claims["iss"] = issuer }
      #expect(await sample.outcome() == "401 invalid_identity_token (issuer)")
    }
    let other = SignInCase().with {
      $0.settings = ["issuer": "http://127.0.0.1:9400"]
      $0.claims["iss"] = "http://127.0.0.1:9400"
    }
    #expect(await other.outcome() == "signed in")
  }

  @Test("B18 the key set's address follows from the issuer, or is configured; nothing is discovered")
  func keySetAddress() async throws {
    for (settings, address) in [
      ([:], "https://appleid.apple.com/auth/keys"),
      (["issuer": "https://appleid.apple.com"], "https://appleid.apple.com/auth/keys"),
      (
        ["issuer": "https://appleid.apple.com", "keysUrl": "http://127.0.0.1:9400/auth/keys"],
        "http://127.0.0.1:9400/auth/keys"
      ),
    ] {
      let sample = SignInCase().with { $0.settings = settings }
      _ = try await sample.run()
      #expect(await sample.services.askedKeySets == [address])
    }
  }

  @Test("B27 B30 RS256 alone is asked for, whatever the header says", arguments: ["HS256", "ES256", "none", "rs256"])
  func algorithm(name: String) async {
    let sample = SignInCase().with { $0.header["alg"] = name }
    #expect(await sample.outcome() == "401 invalid_identity_token (algorithm)")
  }

  @Test(
    "B29 a text that is no token is 401, never a crash",
    arguments: ["", "abc", "a.b", "..", "a.b.c", "a.b.c.d", "e30.e30.", "\u{0}", "é.é.é"])
  func malformed(token: String) async {
    #expect(
      await SignInCase().with { $0.token = token }.outcome() == "401 invalid_identity_token (malformed token)")
  }

  @Test("B29 a header without kid is malformed; B21 a token signed by another key of the set is refused")
  func keys() async {
    let sample = SignInCase()
    #expect(
      await sample.with { $0.header = ["alg": "RS256"] }.outcome() == "401 invalid_identity_token (malformed token)")
    #expect(
      await sample.with { $0.header["kid"] = "key-1" }.outcome() == "401 invalid_identity_token (signature)")
    #expect(
      await sample.with { $0.header["kid"] = "key-9" }.outcome() == "401 invalid_identity_token (unknown key)")
  }

  @Test("without any key set the answer is 503 with a time to try again")
  func unavailable() async throws {
    let sample = SignInCase()
    await sample.services.goDown()
    let failure = try #require(await sample.failure())
    #expect(failure.status == 503)
    #expect(failure.code == "provider_unavailable")
    #expect(failure.retryAfter == 30)
  }

  @Test("B37 expiry and time of issue forgive 60 seconds of clock skew, and no more")
  func times() async {
    let now = SignInCase.nowSeconds
    for (claim, value, outcome) in [
      ("exp", now - 1, "signed in"), ("exp", now - 59, "signed in"),
      ("exp", now - 60, "401 invalid_identity_token (expired)"),
      ("exp", now - 300, "401 invalid_identity_token (expired)"),
      ("exp", 0, "401 invalid_identity_token (expired)"),
      ("exp", -1_000_000_000_000_000, "401 invalid_identity_token (no expiry)"),
      ("iat", now + 2, "signed in"), ("iat", now + 60, "signed in"),
      ("iat", now + 61, "401 invalid_identity_token (issued in the future)"),
      ("iat", now + 600, "401 invalid_identity_token (issued in the future)"),
      ("iat", now - 86_000, "signed in"), ("iat", .max, "401 invalid_identity_token (no time of issue)"),
    ] as [(String, Int64, String)] {
      #expect(await SignInCase().with { $0.claims[claim] = value }.outcome() == outcome, "\(claim) \(value)")
    }
  }

  @Test("GW-106 nbf forgives 60 seconds of clock skew; what is no time is never good, and without it all is well")
  func notBefore() async {
    let now = SignInCase.nowSeconds
    for (value, outcome) in [
      (Absent(), "signed in"), (now - 3600, "signed in"), (now + 30, "signed in"), (now + 60, "signed in"),
      (now + 61, "401 invalid_identity_token (not good yet)"), (Int64.max, "401 invalid_identity_token (not good yet)"),
      (1e300, "401 invalid_identity_token (not good yet)"), ("1", "401 invalid_identity_token (not good yet)"),
      (NSNull(), "401 invalid_identity_token (not good yet)"),
    ] as [(Any, String)] {
      let sample = SignInCase().with { $0.claims["nbf"] = value }
      #expect(await sample.outcome() == outcome, "\(value)")
    }
  }

  @Test("a time of another type, or none, is refused; a fraction of a second is a time")
  func timeTypes() async {
    for value in [Absent(), NSNull(), "1790086400", true, 1e300, [1]] as [Any] {
      #expect(
        await SignInCase().with { $0.claims["exp"] = value }.outcome() == "401 invalid_identity_token (no expiry)")
      #expect(
        await SignInCase().with { $0.claims["iat"] = value }.outcome()
          == "401 invalid_identity_token (no time of issue)")
    }
    #expect(
      await SignInCase().with { $0.claims["exp"] = Double(SignInCase.nowSeconds) + 10.5 }.outcome() == "signed in")
  }

  @Test("a payload that is no JSON object is refused", arguments: ["", "[]", "1", "null", "{", "\u{FF}"])
  func payload(text: String) async {
    let token = FakeServices.token(header: ["alg": "RS256", "kid": "key-2"], payload: Data(text.utf8), key: "secret-2")
    #expect(
      await SignInCase().with { $0.token = token }.outcome()
        == "401 invalid_identity_token (claims are no JSON object)")
  }

  @Test("a subject is a text of 1 to 255 bytes without controls")
  func subject() async throws {
    for value in ["", String(repeating: "a", count: 256), "a\u{0}b", 1, NSNull(), Absent()] as [Any] {
      #expect(
        await SignInCase().with { $0.claims["sub"] = value }.outcome() == "401 invalid_identity_token (subject)")
    }
    let longest = String(repeating: "a", count: 255)
    #expect(try await SignInCase().with { $0.claims["sub"] = longest }.run().subject == longest)
  }

  @Test("the first failing check in the contract's order gives the answer")
  func order() async {
    let faults: [(outcome: String, fault: (inout SignInCase) -> Void)] = [
      ("400 ios_not_configured (no bundle ID)", { $0.app = AppDescription(appID: 1, name: "A") }),
      ("401 invalid_identity_token (signature)", { $0.signingKey = "other" }),
      ("401 invalid_identity_token (issuer)", { $0.claims["iss"] = "https://evil.example" }),
      ("401 invalid_identity_token (expired)", { $0.claims["exp"] = 1 }),
      ("401 invalid_identity_token (issued in the future)", { $0.claims["iat"] = SignInCase.nowSeconds + 3600 }),
      ("401 invalid_identity_token (audience)", { $0.claims["aud"] = "com.evil" }),
      (
        "403 bundle_id_conflict (bundle ID conflict)",
        {
          $0.app = AppDescription(
            appID: 1, name: "A", bundleIDs: ["a", "com.example.alpha"], conflictedBundleIDs: ["com.example.alpha"])
        }
      ),
      ("401 invalid_identity_token (raw nonce too short)", { $0.body["rawNonce"] = "short" }),
    ]
    for first in faults.indices {
      // The last fault is applied first, so that what an earlier one says about the app stands.
      let sample = SignInCase().with { sample in for fault in faults[first...].reversed() { fault.fault(&sample) } }
      #expect(await sample.outcome() == faults[first].outcome)
    }
  }
}
