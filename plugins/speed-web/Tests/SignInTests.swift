import PluginTesting
import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Signing in") struct SignInTests {
  private let services = FakeServices()

  private func joined() async throws -> Guest {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    return guest
  }

  @Test("the right password signs in, with the address in any case")
  func right() async throws {
    _ = try await joined()
    var other = Guest(services, browser: "browser-2")
    let seen = try await other.signIn("ADA@example.ORG")
    #expect(seen.path == "/platform/auth" && seen.query["appId"] == "1" && other.session != nil)
    #expect(try await other.get(.entrance).has("allow"))
  }

  @Test("a wrong password and an unknown address look alike")
  func alike() async throws {
    _ = try await joined()
    var guest = Guest(services, browser: "browser-2")
    let wrong = try await guest.signIn("ada@example.org", "not the password")
    let unknown = try await guest.signIn("eve@example.org", "not the password")
    #expect(wrong.status == 400 && unknown.status == 400 && guest.session == nil)
    #expect(
      wrong.markup.replacing("ada@", with: "") == unknown.markup.replacing("eve@", with: ""))
  }

  @Test("a password longer than any is wrong like another")
  func longPassword() async throws {
    _ = try await joined()
    var guest = Guest(services, browser: "browser-2")
    #expect(try await guest.signIn("ada@example.org", String(repeating: "a", count: 5000)).status == 400)
  }

  @Test("a browser's session is a new one each time")
  func fixation() async throws {
    var guest = try await joined()
    let first = try #require(guest.session)
    try await guest.post(.signOut, [:])
    #expect(guest.session != first)
    try await guest.signIn("ada@example.org")
    #expect(guest.session != first && guest.session?.split(separator: "_").count == 3)
  }

  @Test("strangers who guess do not lock out a browser that has signed in before, and the address does not tell")
  func guessing() async throws {
    var owner = try await joined()
    try await owner.post(.signOut, [:])
    var stranger = Guest(services, browser: "stranger")
    for email in ["ada@example.org", "eve@example.org"] {
      for _ in 0..<10 { #expect(try await stranger.signIn(email, "not the password").status == 400) }
      let refused = try await stranger.signIn(email)
      #expect(refused.status == 429 && refused.has("problem") && (1...900).contains(refused.answer.retryAfter ?? 0))
    }
    #expect(try await owner.signIn("ada@example.org").status == 303)
    await services.pass(seconds: 15 * 60)
    #expect(try await stranger.signIn("ada@example.org").status == 303)
  }

  @Test("many guesses at once count one each")
  func burst() async throws {
    _ = try await joined()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<6 {
        group.addTask { [services] in
          var stranger = Guest(services, browser: "stranger \(number)")
          var statuses = 0
          for _ in 0..<5 where try await stranger.signIn("ada@example.org", "wrong wrong wrong").status == 400 {
            statuses += 1
          }
          return statuses
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(statuses == 10)
  }

  @Test("one network address gets a hundred guesses in all")
  func network() async throws {
    var stranger = Guest(services, browser: "stranger")
    for number in 0..<100 { #expect(try await stranger.signIn("x\(number)@example.org", "wrong").status == 400) }
    #expect(try await stranger.signIn("y@example.org", "wrong").status == 429)
    stranger.address = "192.0.2.9"
    #expect(try await stranger.signIn("y@example.org", "wrong").status == 400)
  }

  @Test("a session ends after thirty days without use, and goes on while it is used")
  func life() async throws {
    var guest = try await joined()
    for _ in 0..<3 {
      await services.pass(seconds: 20 * 86_400)
      #expect(try await guest.get(.entrance).has("allow"))
    }
    await services.pass(seconds: 31 * 86_400)
    #expect(try await guest.get(.entrance).has("sign-in"))
  }

  @Test("what a browser keeps is nothing without the person that it names", arguments: ["", "x", "__", "a_b_c"])
  func foreignCookies(_ value: String) async throws {
    #expect(BrowserCookie(value) == nil)
  }

  @Test("a passkey signs in without a password, once for each answer, in the browser that was asked")
  func passkey() async throws {
    var guest = try await joined()
    guest.visit = nil
    let page = try await guest.get(.passkey)
    let challenge = try #require(page.data("challenge"))
    let added = try await guest.post(
      .account,
      [
        "action": "add-passkey", "name": "My phone", "client_data": challenge,
        "attestation": ByteText.base64URL([7, 7]),
      ])
    #expect(added.query["done"] == "passkey-added")
    #expect(await services.letters.last?.recipient == "ada@example.org")
    let handle = try #require(page.data("handle"))

    var other = Guest(services, browser: "browser-2")
    let asked = try #require(try await other.get(.entrance).data("challenge"))
    let form = [
      "passkey_id": ByteText.base64URL([7, 7]), "client_data": asked, "authenticator_data": ByteText.base64URL([1]),
      "signature": ByteText.base64URL([7, 7]), "user_handle": handle,
    ]
    var thief = Guest(services, browser: "browser-3")
    #expect(try await thief.post(.signIn, form).status == 400 && thief.session == nil)
    #expect(try await other.post(.signIn, form).status == 303 && other.session != nil)
    var replaying = Guest(services, browser: "browser-2")
    #expect(try await replaying.post(.signIn, form).status == 400)
    for (name, value) in [("passkey_id", "AAAA"), ("signature", "AAAA"), ("user_handle", "AAAA"), ("client_data", "!")]
    {
      var wrong = Guest(services, browser: "browser-2")
      #expect(try await wrong.post(.signIn, form.merging([name: value]) { $1 }).status == 400)
    }
  }

  @Test("a page's challenge is good for five minutes at least, and not for a quarter of an hour")
  func challengeLife() async throws {
    var guest = try await joined()
    let challenge = try #require(try await guest.get(.passkey).data("challenge"))
    await services.pass(seconds: 300)
    let form = ["action": "add-passkey", "name": "Phone", "client_data": challenge, "attestation": "AAAA"]
    #expect(try await guest.post(.account, form).query["done"] == "passkey-added")
    await services.pass(seconds: 600)
    try await guest.signIn("ada@example.org")
    #expect(try await guest.post(.account, form.merging(["attestation": "BBBB"]) { $1 }).status == 400)
  }
}
