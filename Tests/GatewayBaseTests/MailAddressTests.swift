import Testing

@testable import GatewayBase

@Suite("Addresses of mail") struct MailAddressTests {
  @Test(
    "plain addresses are taken, their domain in canonical form",
    arguments: [
      ("ada@example.org", "ada@example.org"), ("Ada.Lovelace+notes@EXAMPLE.org", "Ada.Lovelace+notes@example.org"),
      ("o'neil_1/x=y@sub.example.co", "o'neil_1/x=y@sub.example.co"),
      ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
    ])
  func taken(_ text: String, _ expected: String) { #expect(MailAddress(text)?.text == expected) }

  @Test(
    "anything that could be two, or end a line or a command, is refused",
    arguments: [
      "", "@", "a", "a@", "@example.org", "a@b@example.org", "a b@example.org", "a@example.org\r\nDATA",
      "a\n@example.org",
      "a@example.org>", "<a@example.org>", "a,b@example.org", "a@example.org, b@example.org", "\"a b\"@example.org",
      ".a@example.org", "a.@example.org", "a..b@example.org", "a@example", "a@example.org.", "a@[192.0.2.1]",
      "a@192.0.2.1", "a@[::1]", "a@example.org:25", "ä@example.org", "a@bücher.example", "a\u{0}@example.org",
      "a@-example.org", "a@exa mple.org", "a;b@example.org", "a(b)@example.org",
    ])
  func refused(_ text: String) { #expect(MailAddress(text) == nil) }

  @Test("lengths end at 64 and 254 bytes")
  func lengths() {
    let local = String(repeating: "l", count: 64)
    #expect(MailAddress("\(local)@example.org") != nil)
    #expect(MailAddress("l\(local)@example.org") == nil)
    let domain = (0..<3).map { _ in String(repeating: "d", count: 60) }.joined(separator: ".") + ".org"
    #expect(MailAddress("\(local)@\(domain)") != nil)
    #expect(MailAddress("\(local)@\(domain.dropFirst(3))ddddddd") == nil)
  }

  @Test("it is not printed")
  func silence() throws {
    let address = try #require(MailAddress("ada@example.org"))
    #expect(!"\(address)".contains("ada") && !String(reflecting: address).contains("ada"))
  }
}
