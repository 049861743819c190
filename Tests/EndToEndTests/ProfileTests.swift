import GatewayBase
import GatewayTesting
import Testing

/// Rows of faults under "Name, email, profile", over HTTP.
@Suite("Names and addresses", .onEveryWire) struct ProfileTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  @Test("B41 without fullName the name stays empty, whatever the address is")
  func noName() throws {
    #expect(try stage.signIn(stage.alphaRequest()).json()["user"]["name"] == .null)
    #expect(try stage.signIn(stage.alphaRequest(), ["fullName": " \t "]).json()["user"]["name"] == .null)
  }

  @Test("B41 a name is kept from the first sign-in that brings one, and never replaced")
  func nameOnce() throws {
    var request = stage.alphaRequest()
    let names = try [nil, "Ada", "Eve", nil].map { (name: JSON) in
      request.rawNonce = UUIDText.random().description
      return try stage.signIn(request, ["fullName": name]).json()["user"]["name"]
    }
    #expect(names == [nil, "Ada", "Ada", "Ada"])
  }

  @Test("B46 a name keeps its emoji and accents")
  func emoji() throws {
    #expect(try stage.signIn(stage.alphaRequest(), ["fullName": "Zoë 🚲 ✨ Ω"]).json()["user"]["name"] == "Zoë 🚲 ✨ Ω")
  }

  @Test("B47 a long name is cut between characters")
  func longName() throws {
    let accents = try stage.signIn(stage.alphaRequest(), ["fullName": .string(String(repeating: "é", count: 5000))])
    #expect(accents.status == 200)
    #expect(try accents.json()["user"]["name"].string == String(repeating: "é", count: 200))
    let family = String(repeating: "👨‍👩‍👧‍👦", count: 200)
    let cut = try #require(
      try stage.signIn(stage.alphaRequest(), ["fullName": .string(family)]).json()["user"]["name"].string)
    #expect(cut.utf8.count <= 1024 && !cut.isEmpty && cut.allSatisfy { $0 == "👨‍👩‍👧‍👦" })
    // One cluster of 4 KiB has no place to cut.
    let cluster = "e" + String(repeating: "\u{301}", count: 2048)
    let none = try stage.signIn(stage.alphaRequest(), ["fullName": .string(cluster)])
    #expect(none.status == 200)
    #expect((try none.json()["user"]["name"].string ?? "").utf8.count <= 1024)
  }

  @Test("a name is trimmed and loses its control characters")
  func cleanName() throws {
    #expect(
      try stage.signIn(stage.alphaRequest(), ["fullName": " \u{0}A\r\nda\u{7F} L\u{9B} "]).json()["user"]["name"]
        == "Ada L")
  }

  @Test("B49 a name is stored as typed, markup and all")
  func markup() throws {
    let name = "<script>alert(1)</script>"
    #expect(try stage.signIn(stage.alphaRequest(), ["fullName": .string(name)]).json()["user"]["name"] == .string(name))
  }

  @Test("B50 a relay address is an address like any other")
  func relayAddress() throws {
    let answer = try stage.signIn(
      stage.alphaRequest(claims: ["email": "x1@privaterelay.appleid.com", "is_private_email": "true"]))
    #expect(answer.status == 200)
    #expect(try answer.json()["user"]["email"] == "x1@privaterelay.appleid.com")
    #expect(!(try answer.json().names.contains("linkSuggestion")))
  }
}
