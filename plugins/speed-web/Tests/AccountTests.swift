import PluginTesting
import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("The account") struct AccountTests {
  private let services = FakeServices()

  private func joined(_ email: String = "ada@example.org", browser: String = "browser-1") async throws -> Guest {
    var guest = Guest(services, browser: browser)
    guest.visit = nil
    try await guest.join(email)
    return guest
  }

  private func subject() async throws -> String { try #require(await services.accounts.keys.first) }

  @Test("a name is changed, for the apps too")
  func name() async throws {
    var guest = try await joined()
    #expect(try await guest.post(.account, ["action": "name", "name": "  Zoë 🚲 "]).query["done"] == "name-changed")
    #expect(try await guest.get(.account).markup.contains("Zoë 🚲"))
    #expect(await services.accounts[try await subject()]?.fullName == "Zoë 🚲")
    #expect(try await guest.post(.account, ["action": "name", "name": " "]).status == 400)
  }

  @Test("an address changes when the new one is verified, and the old one is told")
  func email() async throws {
    var guest = try await joined()
    func ask(_ email: String, _ password: String = Guest.password) async throws -> Guest.Seen {
      try await guest.post(.account, ["action": "email", "email": email, "current_password": password])
    }
    #expect(try await ask("new@example.org", "wrong").status == 400)
    let asked = try await ask("new@example.org")
    #expect(try await guest.get(.account).markup.contains("ada@example.org"))
    let code = try #require(await services.letters.last?.code)
    let changed = try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": code])
    #expect(changed.query["done"] == "email-changed")
    let told = try #require(await services.letters.last)
    #expect(told.recipient == "ada@example.org" && !told.text.contains("new@example.org"))
    #expect(await services.accounts[try await subject()]?.email == "new@example.org")
    var other = Guest(services, browser: "browser-2")
    #expect(try await other.signIn("ada@example.org").status == 400)
    #expect(try await other.signIn("new@example.org").status == 303)
    #expect(try await joined("ada@example.org", browser: "browser-3").session != nil)
  }

  @Test("an address of somebody else's account can't be taken, and the page does not tell")
  func takenEmail() async throws {
    _ = try await joined("bob@example.org", browser: "browser-2")
    var guest = try await joined()
    let asked = try await guest.post(
      .account, ["action": "email", "email": "bob@example.org", "current_password": Guest.password])
    #expect(asked.path == "/platform/auth/verify")
    #expect(await services.letters.last?.code == nil)
  }

  @Test("a new password signs out the other browsers")
  func password() async throws {
    var guest = try await joined()
    var other = Guest(services, browser: "browser-2")
    try await other.signIn("ada@example.org")
    let form = ["action": "password", "current_password": Guest.password, "password": "seven herons over the lake"]
    #expect(try await guest.post(.account, form.merging(["current_password": "wrong"]) { $1 }).status == 400)
    #expect(try await guest.post(.account, form).query["done"] == "password-changed")
    #expect(try await guest.get(.account).has("sign-out"))
    #expect(try await other.get(.entrance).has("sign-in"))
    #expect(try await other.signIn("ada@example.org").status == 400)
    #expect(try await other.signIn("ada@example.org", "seven herons over the lake").status == 303)
    #expect(await services.letters.last?.recipient == "ada@example.org")
  }

  @Test("a reset by letter sets a password, ends every session and every app's tokens")
  func reset() async throws {
    var owner = try await joined()
    var guest = Guest(services, browser: "browser-2")
    let asked = try await guest.post(.reset, ["email": "Ada@example.org"])
    #expect(asked.path == "/platform/auth/new-password")
    let letter = try #require(await services.letters.last)
    #expect(letter.recipient == "ada@example.org")
    let form = ["id": asked.query["id"] ?? "", "code": letter.code ?? "", "password": "seven herons over the lake"]
    #expect(try await guest.post(.newPassword, form.merging(["password": "short"]) { $1 }).status == 400)
    let done = try await guest.post(.newPassword, form)
    #expect(done.path == "/platform/auth" && guest.session != nil)
    #expect(await services.ended == [try await subject()])
    #expect(try await owner.get(.account).has("sign-in"))
    #expect(try await owner.signIn("ada@example.org").status == 400)
    #expect(try await guest.post(.newPassword, form).status == 400)
  }

  @Test("a reset for an unknown address shows the same page and sends nothing")
  func unknownReset() async throws {
    var guest = Guest(services)
    let asked = try await guest.post(.reset, ["email": "eve@example.org"])
    #expect(asked.path == "/platform/auth/new-password" && asked.query["id"]?.count == 32)
    #expect(await services.letters.isEmpty)
    let id = asked.query["id"] ?? ""
    #expect(try await guest.get(.newPassword, ["id": id]).has("new-password"))
    let tried = try await guest.post(.newPassword, ["id": id, "code": "00000000", "password": Guest.password])
    #expect(tried.status == 400)
  }

  @Test("codes mailed before a reset, a new password, a new address or sign-out everywhere are of no use")
  func staleCodes() async throws {
    let acts: [(inout Guest) async throws -> Void] = [
      { guest in
        try await guest.post(
          .account,
          ["action": "password", "current_password": Guest.password, "password": "seven herons over the lake"])
      },
      { guest in try await guest.post(.account, ["action": "sign-out-everywhere"]) },
      { guest in
        let asked = try await guest.post(.reset, ["email": "ada@example.org"])
        let form = ["id": asked.query["id"] ?? "", "code": try #require(await guest.services.letters.last?.code)]
        try await guest.post(.newPassword, form.merging(["password": "seven herons over the lake"]) { $1 })
      },
      { guest in
        let asked = try await guest.post(
          .account, ["action": "email", "email": "new@example.org", "current_password": Guest.password])
        let code = try #require(await guest.services.letters.last?.code)
        try await guest.post(.verify, ["id": asked.query["id"] ?? "", "code": code])
      },
    ]
    for act in acts {
      let services = FakeServices()
      var owner = Guest(services)
      owner.visit = nil
      try await owner.join("ada@example.org")
      var thief = Guest(services, browser: "browser-2")
      try await thief.signIn("ada@example.org")
      let reset = try await thief.post(.reset, ["email": "ada@example.org"])
      let resetCode = try #require(await services.letters.last?.code)
      let address = try await thief.post(
        .account, ["action": "email", "email": "thief@example.org", "current_password": Guest.password])
      let addressCode = try #require(await services.letters.last?.code)
      try await act(&owner)
      #expect(try await thief.post(.verify, ["id": address.query["id"] ?? "", "code": addressCode]).status == 400)
      let form = ["id": reset.query["id"] ?? "", "code": resetCode, "password": "known to the thief alone"]
      #expect(try await thief.post(.newPassword, form).status == 400)
    }
  }

  @Test("a code for one thing is good for nothing else")
  func purposes() async throws {
    var guest = try await joined()
    let reset = try await guest.post(.reset, ["email": "ada@example.org"])
    let code = try #require(await services.letters.last?.code)
    #expect(try await guest.post(.verify, ["id": reset.query["id"] ?? "", "code": code]).status == 400)
    var other = Guest(services, browser: "browser-2")
    let joining = try await other.post(
      .signUp, ["name": "Bob", "email": "bob@example.org", "password": Guest.password])
    let form = [
      "id": joining.query["id"] ?? "", "code": await services.letters.last?.code ?? "", "password": Guest.password,
    ]
    #expect(try await other.post(.newPassword, form).status == 400)
  }

  @Test("the list of sessions names each browser, and ends one or all; all means the apps too")
  func sessions() async throws {
    var guest = try await joined()
    var other = Guest(services, browser: "browser-2")
    other.visit = nil
    try await other.signIn("ada@example.org")
    let page = try await guest.get(.account).markup
    let name = "name=\"session\" value=\""
    let start = try #require(page.range(of: name)).upperBound
    let digest = String(page[start...].prefix(64))
    #expect(
      try await guest.post(.account, ["action": "sign-out-session", "session": digest]).query["done"] == "session-ended"
    )
    #expect(try await other.get(.account).has("sign-in"))
    try await other.signIn("ada@example.org")
    let all = try await guest.post(.account, ["action": "sign-out-everywhere"])
    #expect(all.query["done"] == "signed-out-everywhere")
    #expect(await services.ended == [try await subject()])
    #expect(try await guest.get(.account).has("sign-in"))
    #expect(try await other.get(.account).has("sign-in"))
  }

  @Test("what lets another sign in asks for a proof that is not old")
  func proof() async throws {
    var guest = try await joined()
    await services.pass(seconds: 600)
    #expect(try await guest.get(.account).has("to-passkey"))
    let page = try await guest.get(.passkey)
    #expect(page.has("sign-in") && !page.has("add-passkey"))
    let form = ["action": "add-passkey", "name": "x", "client_data": "AAAA", "attestation": "AAAA"]
    #expect(try await guest.post(.account, form).has("sign-in"))
    try await guest.signIn("ada@example.org")
    #expect(try await guest.get(.passkey).has("add-passkey"))
  }

  @Test("a passkey is removed")
  func removal() async throws {
    var guest = try await joined()
    let challenge = try #require(try await guest.get(.passkey).data("challenge"))
    try await guest.post(
      .account, ["action": "add-passkey", "name": "Key", "client_data": challenge, "attestation": "AAAA"])
    #expect(try await guest.get(.account).has("passkey-list"))
    #expect(
      try await guest.post(.account, ["action": "remove-passkey", "passkey": "AAAA"]).query["done"] == "passkey-removed"
    )
    #expect(try await !guest.get(.account).has("passkey-list"))
  }

  @Test("an account keeps to the size of a record, however often and by whatever it is used")
  func size() async throws {
    var guest = try await joined()
    for number in 0..<30 {
      var other = Guest(services, browser: "browser \(number)")
      try await other.signIn("ada@example.org")
      let challenge = try #require(try await other.get(.passkey).data("challenge"))
      try await other.post(
        .account,
        [
          "action": "add-passkey", "name": String(repeating: "é", count: 200), "client_data": challenge,
          "attestation": ByteText.base64URL([UInt8](repeating: UInt8(number), count: 1023)),
        ])
    }
    #expect(try await guest.get(.account).has("sign-in"))
    try await guest.signIn("ada@example.org")
    #expect(try await guest.get(.account).has("sign-out"))
  }
}
