import Foundation
import Testing

@testable import SpeedAuth

@Suite("SpeedAuth: what it is told") struct ValueTests {
  @Test("every state of a sign-in, and what the app does in it")
  func states() {
    let rows: [(Bool, Bool, Bool, SignInState, LinkOffer)] = [
      (true, true, true, .newWithMatch, .beforeTheApp),
      (false, true, true, .knownWithMatch, .atEverySignIn),
      (true, true, false, .newWithoutMatch, .inSettings),
      (false, true, false, .knownWithoutMatch, .inSettings),
      (true, false, false, .linked, .none),
      (false, false, false, .linked, .none),
      // The platform never suggests here; an app must not offer, should it ever.
      (false, false, true, .linked, .none),
      (true, false, true, .linked, .none),
    ]
    for (isNew, isLocal, suggests, state, offer) in rows {
      #expect(SignInState(isNewAccount: isNew, isLocalUser: isLocal, hasLinkSuggestion: suggests) == state)
      #expect(state.offer == offer)
    }
    #expect(Set(rows.map(\.3)) == Set(SignInState.allCases))
  }

  @Test("a configuration takes origins with TLS, or on loopback, and nothing but an origin")
  func configuration() throws {
    for good in [
      "https://a.example", "https://a.example:8443/", "http://localhost:8080", "http://x.localhost", "http://[::1]:1",
    ] {
      #expect(throws: Never.self) { try SpeedAuthConfiguration(app: .id(1), origins: [good]) }
    }
    for bad in [
      "", "a.example", "http://a.example", "https://a.example/path", "https://u@a.example", "https://a.example?x",
      "ftp://a.example",
      "http://localhost.example", "wss://a.example", "https://",
    ] {
      #expect(throws: ConfigurationFault.invalidOrigin(bad)) { try SpeedAuthConfiguration(app: .id(1), origins: [bad]) }
    }
    for bad in ["", "a b", "x://", "1x", "é"] {
      #expect(throws: ConfigurationFault.invalidScheme(bad)) {
        try SpeedAuthConfiguration(app: .id(1), callbackScheme: bad)
      }
    }
  }

  @Test("only the app's own origins get its token: host, scheme and port count, case and a final dot do not")
  func origins() throws {
    let configuration = try SpeedAuthConfiguration(app: .domain("notes.example"))
    for own in [
      "https://notes.example", "https://notes.example/a?b", "https://NOTES.example.:443/", "wss://notes.example/live",
    ] {
      #expect(configuration.isOwn(try #require(URL(string: own))), "\(own)")
    }
    for foreign in [
      "http://notes.example", "https://notes.example:8443", "https://evil.example",
      "https://notes.example.evil.example",
      "https://evil.example/notes.example", "https://notes.example@evil.example", "https://me@notes.example",
      "/relative",
      "ws://notes.example", "file:///notes.example", "https://sub.notes.example",
    ] {
      #expect(!configuration.isOwn(try #require(URL(string: foreign))), "\(foreign)")
    }
  }

  @Test("nothing that holds a token or personal data prints it, however it is printed")
  func redaction() async throws {
    let client = try stubClient { _ in StubTransport.signIn("secret-token", refresh: "secret-refresh") }
    let signIn = try await client.signIn(.stub(name: "Secret Name"))
    let visit = try client.signInVisit()
    let record = try await client.record()
    let error = SpeedAuthError.dataConflict(SpeedToken("secret-token"))
    let values: [Any] = [
      signIn, signIn.session, signIn.session.token, visit, record, signIn.session.user,
      SessionEvent.signedIn(signIn.session),
      AppleCredential.stub(name: "secret"), RelayCredential(subjectToken: "secret"),
      Ticket(url: try #require(URL(string: "https://a/?secret"))),
      error, try #require(signIn.session.refreshToken),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        for secret in ["secret", "Secret", "ada@", "code_challenge"] { #expect(!text.contains(secret)) }
      }
    }
  }
}
