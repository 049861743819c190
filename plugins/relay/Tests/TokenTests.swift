import Foundation
import PluginTesting
import ProviderKit
import RelaySignIn
import Testing

@Suite("A relayed token: issuer, signature, times, audience") struct TokenTests {
  @Test("a good token proves who its issuer says it is, within that issuer")
  func good() async throws {
    let sample = RelayCase()
    let identity = try await sample.run()
    #expect(identity.issuer == RelayCase.issuer && identity.subject == "user-1" && identity.team == nil)
    #expect(identity.email == "ada@example.org" && identity.emailVerified && !identity.isPrivateEmail)
    #expect(identity.fullName == "Ada Claim" && identity.client == "alpha" && !identity.isShared)
    #expect(identity.followUp == nil && identity.transferID == nil && identity.photo == nil)
    #expect(await sample.services.askedIssuers == [RelayCase.issuer])
  }

  @Test("an app that lists no issuer and no verifier is told before the body is read")
  func notConfigured() async {
    let sample = RelayCase().with {
      $0.relay = RelayDescription()
      $0.bodyText = "no JSON"
    }
    #expect(await sample.outcome() == "400 relay_not_configured (no issuer and no verifier)")
  }

  @Test(
    "a token that is none is refused, and so is none at all",
    arguments: [
      ("", "no subject token"), ("abc", "no issuer"), ("a.b", "no issuer"), ("..", "no issuer"),
      ("a.b.c.d", "no issuer"),
      ("a.e30.c", "no issuer"), ("a.W10.c", "no issuer"), ("a.!.c", "no issuer"),
    ])
  func malformed(token: String, reason: String) async {
    #expect(await RelayCase().with { $0.token = token }.outcome() == refused(reason))
    #expect(await RelayCase().with { $0.body = ["subjectToken": Absent()] }.outcome() == refused("no subject token"))
  }

  @Test("B29 with an issuer named in the body, a token of no shape is refused by its shape")
  func namedMalformed() async {
    for token in ["abc", "a.b", "..", "a.b.c.d"] {
      let sample = RelayCase().with {
        $0.token = token
        $0.body["issuer"] = RelayCase.issuer
      }
      #expect(await sample.outcome() == refused("malformed token"))
    }
    let noKey = RelayCase().with { $0.header["kid"] = nil }
    #expect(await noKey.outcome() == refused("malformed token"))
  }

  @Test("B27 B30 only RS256 and ES256 count, whatever the header says")
  func algorithms() async {
    for algorithm in ["HS256", "none", "RS512", "ES384", "PS256", "EdDSA", ""] {
      #expect(await RelayCase().with { $0.header["alg"] = algorithm }.outcome() == refused("algorithm"))
    }
    for algorithm in ["RS256", "ES256"] {
      #expect(await RelayCase().with { $0.header["alg"] = algorithm }.outcome() == "signed in")
    }
  }

  @Test("the issuer must be one that the app lists, to the byte")
  func issuerListed() async {
    for issuer in [
      "https://issuer.example/tenant", "https://ISSUER.example/tenant/", "http://issuer.example/tenant/",
      "https://issuer.example:443/tenant/", "https://issuer.example/tenant/x", "https://\u{0456}ssuer.example/tenant/",
    ] {
      #expect(await RelayCase().with { $0.claims["iss"] = issuer }.outcome() == refused("issuer not listed"))
    }
    for issuer in [1, NSNull(), Absent(), [RelayCase.issuer], ["a": RelayCase.issuer]] as [Any] {
      #expect(await RelayCase().with { $0.claims["iss"] = issuer }.outcome() == refused("no issuer"))
    }
  }

  @Test("an issuer in the body must be listed and be the token's")
  func issuerNamed() async {
    let named = { (issuer: String) in RelayCase().with { $0.body["issuer"] = issuer } }
    #expect(await named(RelayCase.issuer).outcome() == "signed in")
    #expect(await named("https://other.example").outcome() == refused("another issuer than the body names"))
    #expect(await named("https://issuer.example/tenant").outcome() == refused("another issuer than the body names"))
    let unlisted = named("https://evil.example").with { $0.claims["iss"] = "https://evil.example" }
    #expect(await unlisted.outcome() == refused("issuer not listed"))
    #expect(await unlisted.services.askedIssuers.isEmpty)
    let silent = named(RelayCase.issuer).with { $0.claims["iss"] = Absent() }
    #expect(await silent.outcome() == refused("issuer"))
  }

  @Test("a signature by another key, or by the right key of another id, is none")
  func signature() async {
    #expect(await RelayCase().with { $0.signingKey = "secret-1" }.outcome() == refused("signature"))
    #expect(await RelayCase().with { $0.header["kid"] = "key-9" }.outcome() == refused("unknown key"))
    #expect(
      await RelayCase().with {
        $0.header["kid"] = "key-3"
        $0.signingKey = "secret-3"
      }.outcome() == "signed in")
  }

  @Test("without the issuer's keys the answer is 503 with a time, and nothing of the token")
  func unreachable() async {
    let sample = RelayCase()
    await sample.services.goDown()
    let failure = await sample.failure()
    #expect(failure?.status == 503 && failure?.code == "provider_unavailable" && failure?.retryAfter == 30)
    #expect(failure?.message.contains("user-1") == false)
  }

  @Test("RFC 8725: a token of another type with a good signature says nothing of who signs in")
  func types() async {
    for type in ["JWT", "jwt", "at+jwt", "AT+JWT", "application/jwt", "application/at+jwt", "Application/JWT"] {
      #expect(await RelayCase().with { $0.header["typ"] = type }.outcome() == "signed in")
    }
    for type in ["logout+jwt", "dpop+jwt", "secevent+jwt", "application/", "", "JWT ", "text/jwt"] {
      #expect(await RelayCase().with { $0.header["typ"] = type }.outcome() == refused("token type"))
    }
  }

  @Test("the audience is one that the app has at this issuer, alone or among others")
  func audience() async throws {
    for audience in ["alpha", ["alpha"], ["userinfo", "alpha"], ["alpha-web", "x"], "alpha-web"] as [Any] {
      #expect(await RelayCase().with { $0.claims["aud"] = audience }.outcome() == "signed in")
    }
    for audience in ["beta", "ALPHA", "alpha ", "", ["beta"], [], [["alpha"]], 1, NSNull(), Absent()] as [Any] {
      #expect(await RelayCase().with { $0.claims["aud"] = audience }.outcome() == refused("audience"))
    }
    let other = RelayCase().with {
      $0.claims["iss"] = "https://other.example"
      $0.claims["aud"] = "alpha-web"
    }
    #expect(await other.outcome() == refused("audience"))
    #expect(try await RelayCase().with { $0.claims["aud"] = ["x", "alpha-web"] }.run().client == "alpha-web")
  }

  @Test("B37 times are judged with a minute of skew either way, and must be there")
  func times() async {
    let now = Double(RelayCase.nowSeconds)
    let cases: [(String, Any, String)] = [
      ("exp", now - 59, "signed in"), ("exp", now - 61, refused("expired")), ("exp", Absent(), refused("no expiry")),
      ("exp", "\(Int(now) + 60)", refused("no expiry")), ("exp", 1e300, refused("no expiry")),
      ("iat", now + 59, "signed in"), ("iat", now + 62, refused("issued in the future")),
      ("iat", Absent(), refused("no time of issue")), ("iat", NSNull(), refused("no time of issue")),
      ("nbf", now + 59, "signed in"), ("nbf", now + 62, refused("not good yet")), ("nbf", "x", refused("not good yet")),
    ]
    for (claim, value, outcome) in cases {
      #expect(await RelayCase().with { $0.claims[claim] = value }.outcome() == outcome, "\(claim) \(value)")
    }
  }

  @Test("a subject is a text of 1 to 255 bytes without controls")
  func subject() async {
    for subject in ["x", String(repeating: "é", count: 127), "auth0|5f7c8ec7c33c6c004bbafe82", "a b"] {
      #expect(await RelayCase().with { $0.claims["sub"] = subject }.outcome() == "signed in")
    }
    for subject in ["", String(repeating: "é", count: 128), "a\nb", "a\u{0}", 1, NSNull(), Absent(), ["x"]] as [Any] {
      #expect(await RelayCase().with { $0.claims["sub"] = subject }.outcome() == refused("subject"))
    }
  }

  @Test("fields of another JSON type are told by name, and what is no object is no body")
  func bodyShapes() async {
    for field in ["subjectToken", "issuer", "nonce", "fullName"] {
      let failure = await RelayCase().with { $0.body[field] = 1 }.failure()
      #expect(failure?.status == 400 && failure?.code == "invalid_request")
      #expect(failure?.message == "\(field) must be a string.")
    }
    for text in ["[]", "1", "\"x\"", "{", ""] {
      #expect(await RelayCase().with { $0.bodyText = text }.outcome() == "400 invalid_request (body)")
    }
    let nulls = RelayCase().with { $0.body = ["issuer": NSNull(), "nonce": NSNull(), "fullName": NSNull()] }
    #expect(await nulls.outcome() == "signed in")
  }

  @Test("a token that was accepted before is refused as a bad one")
  func replayed() {
    #expect(RelayProvider().refusedCredential.code == "invalid_subject_token")
    #expect(RelayProvider().refusedCredential.status == 401)
  }
}
