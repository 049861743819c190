import Testing

@testable import GatewayIdentity

@Suite struct DisplayNameTests {
  @Test("a name is trimmed and loses its control characters")
  func cleaning() {
    #expect(DisplayName.cleaned(" \t Jane\u{0}\u{1B}\u{85}\u{2028} Doe\n") == "Jane Doe")
    for empty in ["", " ", "\u{0}", "\u{A0}\n"] { #expect(DisplayName.cleaned(empty) == nil) }
  }

  @Test("B46 a name with emoji stays whole")
  func emoji() {
    for name in ["Zoë 🚲 ✨ Ω", "👩‍👩‍👧‍👦", "🏳️‍🌈 e\u{301}"] { #expect(DisplayName.cleaned(name) == name) }
  }

  @Test("B47 a long name is cut between characters, at 200 of them or at 1 KiB")
  func long() throws {
    let precomposed = try #require(DisplayName.cleaned(String(repeating: "é", count: 5000)))
    #expect(precomposed == String(repeating: "é", count: 200))
    let families = try #require(DisplayName.cleaned(String(repeating: "👩‍👩‍👧‍👦", count: 200)))
    #expect(families == String(repeating: "👩‍👩‍👧‍👦", count: 1024 / "👩‍👩‍👧‍👦".utf8.count))
    let cluster = "👩" + String(repeating: "\u{200D}👩", count: 600)
    #expect(cluster.count == 1 && cluster.utf8.count > 4000)
    #expect(DisplayName.cleaned(cluster) == nil)
    #expect(DisplayName.cleaned("Ada " + cluster) == "Ada")
  }

  @Test("B49 markup is stored as it was typed")
  func markup() { #expect(DisplayName.cleaned("<script>alert(1)</script>") == "<script>alert(1)</script>") }
}

@Suite struct EmailAddressTests {
  @Test("an address that is empty, too long or has blanks or controls counts as none")
  func accepted() {
    for bad in [nil, "", " ", "a b@example.org", "a\n@example.org", String(repeating: "a", count: 321)] {
      #expect(EmailAddress.accepted(bad) == nil)
    }
    for good in ["ada@example.org", "zoë@bücher.example", String(repeating: "a", count: 320)] {
      #expect(EmailAddress.accepted(good) == good)
    }
  }
}
