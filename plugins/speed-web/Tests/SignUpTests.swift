import PluginTesting
import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Signing up") struct SignUpTests {
  private let services = FakeServices()

  @Test("an account is made when its address is verified, and not before")
  func whole() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(
      .signUp, ["name": "Ada Example", "email": "ada@example.org", "password": Guest.password])
    #expect(asked.path == "/platform/auth/verify" && asked.query["appId"] == "1")
    #expect(await services.keys.allSatisfy { !$0.hasPrefix("person/") && !$0.hasPrefix("email/") })
    #expect(try await guest.get(.entrance).has("sign-in"))
    let letter = try #require(await services.letters.last)
    #expect(letter.recipient == "ada@example.org")
    let verified = try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": letter.code ?? ""])
    #expect(verified.path == "/platform/auth" && guest.session != nil)
    let consent = try await guest.get(.entrance)
    #expect(consent.has("allow") && consent.markup.contains("Ada Example"))
    let identity = try #require(try await guest.post(.consent, ["decision": "allow"]).identity)
    #expect(identity.isShared && identity.emailVerified && identity.email == "ada@example.org")
    #expect(await services.accounts[identity.subject]?.email == "ada@example.org")
  }

  @Test("the names of records hold no address and no secret")
  func recordNames() async throws {
    var guest = Guest(services)
    try await guest.join("ada@example.org")
    let secrets = try #require(guest.session).split(separator: "_")
    for key in await services.keys {
      #expect(!key.contains("ada") && !key.contains(secrets[1]) && !key.contains(secrets[2]))
    }
  }

  @Test("an address that has an account gets a letter that says so, and the page is the same")
  func addressInUse() async throws {
    var owner = Guest(services)
    try await owner.join("ada@example.org")
    var stranger = Guest(services, browser: "browser-2")
    let asked = try await stranger.post(
      .signUp, ["name": "Eve", "email": "ADA@example.org", "password": "another long phrase"])
    #expect(asked.path == "/platform/auth/verify" && asked.query["id"]?.count == 32)
    let letter = try #require(await services.letters.last)
    #expect(letter.recipient == "ADA@example.org" && letter.code == nil)
    #expect(try await stranger.get(.verify, ["id": asked.query["id"] ?? ""]).has("verify"))
    let tried = try await stranger.post(.verify, ["id": asked.query["id"] ?? "", "code": "12345678"])
    #expect(tried.status == 400 && stranger.session == nil)
  }

  @Test("of two sign-ups with one address the first that is verified is made")
  func race() async throws {
    var (first, second) = (Guest(services), Guest(services, browser: "browser-2"))
    let form = ["name": "Ada", "email": "ada@example.org", "password": Guest.password]
    let (one, other) = (try await first.post(.signUp, form), try await second.post(.signUp, form))
    let letters = await services.letters
    let won = try await second.post(.verify, ["id": other.query["id"] ?? "", "code": letters[1].code ?? ""])
    let lost = try await first.post(.verify, ["id": one.query["id"] ?? "", "code": letters[0].code ?? ""])
    #expect(won.status == 303 && lost.status == 400 && first.session == nil)
    #expect(await services.keys.count { $0.hasPrefix("person/") } == 1)
  }

  @Test("a code is good once, also when it comes twice at the same time")
  func once() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    let form = ["id": asked.query["id"] ?? "", "code": try #require(await services.letters.last?.code)]
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { [guest] in
          var copy = guest
          return try await copy.post(.verify, form).status
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == 303 }.count == 1 && statuses.filter { $0 == 400 }.count == 3)
  }

  @Test("after five wrong codes the right one is of no use")
  func tries() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    let id = asked.query["id"] ?? ""
    let code = try #require(await services.letters.last?.code)
    let wrong = code == "00000000" ? "00000001" : "00000000"
    for _ in 0..<5 { #expect(try await guest.post(.verify, ["id": id, "code": wrong]).status == 400) }
    #expect(try await guest.post(.verify, ["id": id, "code": code]).status == 400)
    #expect(guest.session == nil)
  }

  @Test("a code is over after a quarter of an hour")
  func old() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    await services.pass(seconds: 15 * 60)
    let code = try #require(await services.letters.last?.code)
    #expect(try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": code]).status == 400)
  }

  @Test("to follow the letter's link uses nothing up")
  func link() async throws {
    var guest = Guest(services)
    try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    let fields = try #require(await services.letters.last?.fields)
    #expect(fields["appId"] == "1")
    for _ in 0..<7 { #expect(try await guest.get(.verify, fields).has("verify")) }
    #expect(try await guest.post(.verify, ["id": fields["id"] ?? "", "code": fields["code"] ?? ""]).status == 303)
  }

  @Test("whoever verifies in another browser chooses the password, as a stranger may have signed up with the address")
  func otherBrowser() async throws {
    var stranger = Guest(services, browser: "stranger")
    let asked = try await stranger.post(
      .signUp, ["name": "Ada", "email": "ada@example.org", "password": "known to the stranger"])
    var owner = Guest(services, browser: "owner")
    let code = try #require(await services.letters.last?.code)
    let verified = try await owner.post(.verify, ["id": asked.query["id"] ?? "", "code": code])
    #expect(verified.path == "/platform/auth/new-password")
    #expect(try await stranger.signIn("ada@example.org", "known to the stranger").status == 400)
    let chosen = try await owner.post(
      .newPassword,
      ["id": verified.query["id"] ?? "", "code": verified.query["code"] ?? "", "password": "chosen by the owner"])
    #expect(chosen.path == "/platform/auth")
    var again = Guest(services, browser: "third")
    #expect(try await again.signIn("ada@example.org", "chosen by the owner").status == 303)
  }

  @Test(
    "what can't be taken is said beside its field, and what was put in stays",
    arguments: [
      ("", "ada@example.org", Guest.password, "name-problem"), ("Ada", "", Guest.password, "email-problem"),
      ("Ada", "no address", Guest.password, "email-problem"), ("Ada", "a@b", Guest.password, "email-problem"),
      ("Ada", "ada@example.org", "", "password-problem"), ("Ada", "ada@example.org", "short", "password-problem"),
      ("Ada", "ada@example.org", "Password12345", "password-problem"),
      ("Ada", "ada@example.org", "ada@example.org", "password-problem"),
    ])
  func problems(_ name: String, _ email: String, _ password: String, _ id: String) async throws {
    var guest = Guest(services)
    let seen = try await guest.post(.signUp, ["name": name, "email": email, "password": password])
    #expect(seen.status == 400 && seen.has(id))
    #expect(email.isEmpty || seen.markup.contains("value=\"\(email)\""))
    #expect(password.isEmpty || password == email || !seen.markup.contains("value=\"\(password)\""))
    #expect(await services.letters.isEmpty)
  }

  @Test("nobody's mailbox is flooded: thirty letters an hour from one network, five to one address")
  func postage() async throws {
    var guest = Guest(services)
    func form(_ email: String) -> [String: String] { ["name": "Ada", "email": email, "password": Guest.password] }
    for _ in 0..<5 { #expect(try await guest.post(.signUp, form("ada@example.org")).status == 303) }
    #expect(try await guest.post(.signUp, form("Ada@Example.org")).status == 429)
    for number in 0..<24 { #expect(try await guest.post(.signUp, form("ada\(number)@example.org")).status == 303) }
    #expect(try await guest.post(.signUp, form("bob@example.org")).status == 429)
    guest.address = "192.0.2.2"
    for email in ["bob@example.org", "ada@example.org"] {
      #expect(try await guest.post(.signUp, form(email)).status == 303)
    }
    await services.pass(seconds: 3600)
    #expect(try await guest.post(.signUp, form("ada@example.org")).status == 303)
  }

  @Test("strangers on many networks use up an address's letters for strangers, not for its owner's browser")
  func ownPostage() async throws {
    var owner = Guest(services, browser: "owner")
    try await owner.join("ada@example.org")
    try await owner.post(.signOut, [:])
    var stranger = Guest(services, browser: "stranger")
    var statuses: [Int] = []
    for number in 0..<30 {
      stranger.address = "198.51.100.\(number)"
      statuses.append(try await stranger.post(.reset, ["email": "ada@example.org"]).status)
    }
    #expect(statuses.filter { $0 == 303 }.count == 29 && statuses.last == 429)
    #expect(try await owner.post(.reset, ["email": "ada@example.org"]).status == 303)
  }

  @Test("without a relay nothing is promised")
  func noRelay() async throws {
    await services.loseRelay()
    var guest = Guest(services)
    let seen = try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    #expect(seen.status == 503)
  }

  @Test("another letter has a code of its own, and the earlier code ends")
  func resend() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(.signUp, ["name": "Ada", "email": "ada@example.org", "password": Guest.password])
    let first = try #require(await services.letters.last?.code)
    let again = try await guest.post(.verify, ["id": asked.query["id"] ?? "", "action": "resend"])
    let id = try #require(again.query["id"])
    #expect(id != asked.query["id"])
    #expect(try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": first]).status == 400)
    let second = try #require(await services.letters.last?.code)
    #expect(try await guest.post(.verify, ["id": id, "code": second]).status == 303)
  }
}
