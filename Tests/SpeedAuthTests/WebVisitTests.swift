import Foundation
import Testing

@testable import SpeedAuth

@Suite("SpeedAuth: visits to the platform's pages") struct WebVisitTests {
  private let configuration: SpeedAuthConfiguration

  init() throws { configuration = try SpeedAuthConfiguration(app: .id(7), callbackScheme: "com.example.notes") }

  private func query(_ url: URL) -> [String: String] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  @Test("the page gets the app, the redirect and a challenge, whose verifier stays here")
  func pages() throws {
    let visit = try WebVisit(configuration, path: "speed-auth", isLinking: false, bringsCode: true)
    #expect(visit.url.absoluteString.hasPrefix("https://dash.speed.so/platform/auth?"))
    let verifier = try #require(visit.verifier)
    #expect(
      query(visit.url) == [
        "appId": "7", "redirect": "com.example.notes://speed-auth", "code_challenge_method": "S256",
        "code_challenge": Base64URL.encode(SHA256.digest(Array(verifier.utf8))),
      ])
    let linking = try WebVisit(configuration, path: "speed-link", isLinking: true, bringsCode: false)
    #expect(query(linking.url) == ["appId": "7", "redirect": "com.example.notes://speed-link", "link": "1"])
    let named = try SpeedAuthConfiguration(app: .domain("notes.example"), callbackScheme: "x")
    #expect(query(try WebVisit(named, path: "a", isLinking: false, bringsCode: false).url)["domain"] == "notes.example")
  }

  @Test("two visits never share a verifier, and an app without a scheme has none to make")
  func fresh() throws {
    let visits = try (0..<10).map { _ in
      try WebVisit(configuration, path: "speed-auth", isLinking: false, bringsCode: true).verifier
    }
    #expect(Set(visits).count == 10)
    let bare = try SpeedAuthConfiguration(app: .id(7))
    #expect(throws: SpeedAuthError.notConfigured("callbackScheme")) {
      try WebVisit(bare, path: "speed-auth", isLinking: false, bringsCode: true)
    }
  }

  @Test("a visit takes what it asked for, and nothing that somebody else may have put in its place")
  func arrivals() throws {
    let visit = try WebVisit(configuration, path: "speed-auth", isLinking: false, bringsCode: true)
    func arrive(_ text: String) throws -> WebVisit.Arrival { try visit.arrival(at: try #require(URL(string: text))) }
    guard case .code("abc", let verifier) = try arrive("COM.example.notes://speed-auth?other=1&code=abc") else {
      Issue.record("no code")
      return
    }
    #expect(verifier == visit.verifier)
    #expect(throws: SpeedAuthError.declined) { try arrive("com.example.notes://speed-auth?error=access_denied") }
    #expect(throws: SpeedAuthError.invalidCallback("invalid_identity_token")) {
      try arrive("com.example.notes://speed-auth?error=invalid_identity_token")
    }
    // A session that another app pushes in: the visit asked for a code.
    #expect(throws: SpeedAuthError.invalidCallback("no code")) {
      try arrive("com.example.notes://speed-auth?_speed_auth_data=%7B%7D")
    }
    for other in [
      "com.example.notes://speed-link?code=a", "https://speed-auth?code=a", "com.example.notes://speed-auth/x?code=a",
    ] {
      #expect(throws: SpeedAuthError.invalidCallback("another redirect")) { try arrive(other) }
    }
  }

  @Test("without a code the answer itself comes back, percent-encoded")
  func answers() throws {
    let visit = try WebVisit(configuration, path: "speed-auth", isLinking: false, bringsCode: false)
    var parts = URLComponents()
    (parts.scheme, parts.host) = ("com.example.notes", "speed-auth")
    parts.queryItems = [URLQueryItem(name: "_speed_auth_data", value: StubTransport.signIn("t1").body)]
    guard case .answer(let answer) = try visit.arrival(at: try #require(parts.url)) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.token == "t1" && answer.state == .knownWithoutMatch)
    #expect(throws: SpeedAuthError.unexpectedAnswer(status: 200)) {
      try visit.arrival(at: try #require(URL(string: "com.example.notes://speed-auth?_speed_auth_data=x")))
    }
    #expect(throws: SpeedAuthError.invalidCallback("no _speed_auth_data")) {
      try visit.arrival(at: try #require(URL(string: "com.example.notes://speed-auth?code=x")))
    }
  }
}
