import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Rules of the account") struct RuleTests {
  @Test(
    "passwords that are tried first are refused",
    arguments: [
      "password123", "Passw0rd2024!", "P@ssw0rd1234", "1234567890", "0987654321", "qwertyuiop", "qwertzuiop",
      "1q2w3e4r5t",
      "aaaaaaaaaaaa", "abcabcabcabc", "iloveyou2023", "ILoveYou!!!!", "welcome12345", "letmein1234567", "football2022",
      "sunshine1990", "PasswordPassword", "adminadmin12", "qwerty123456", "asdfghjkl123", "abcdefghij", "Summer2024!!",
      "dragon123456", "trustno1trustno1", "passwort1234", "changeme1234", "zxcvbnm12345", "motdepasse123",
      "senha1234567",
    ])
  func common(_ password: String) {
    #expect(PasswordRules.problem(password, personal: []) == .passwordCommon)
  }

  @Test(
    "others are taken, of whatever signs",
    arguments: [
      "a quiet harbour at noon", "correct horse battery staple", "Tr4vel-l1ght-x9", "пароль не для всех",
      "静かな港の真昼です、また来ます",
      "          spaces count", "kd83!mQ2pz", "🚲🚲✨Ω ride home", "the-password-of-tomorrow's-fox",
    ])
  func taken(_ password: String) {
    #expect(PasswordRules.problem(password, personal: ["Ada Example", "ada@example.org"]) == nil)
  }

  @Test("length counts in characters up to a bound in bytes")
  func length() {
    #expect(PasswordRules.problem("", personal: []) == .passwordMissing)
    #expect(PasswordRules.problem("kd83!mQ2p", personal: []) == .passwordTooShort(minimum: 10))
    #expect(PasswordRules.problem(String(repeating: "kd83!mQ2pz", count: 103), personal: []) != nil)
    let long = (0..<110).map { "\($0 &* 7919)" }.joined()
    #expect(PasswordRules.problem(String(long.prefix(600)), personal: []) == nil)
    #expect(PasswordRules.problem(String(repeating: long, count: 4), personal: []) == .passwordTooLong)
  }

  @Test(
    "a person's own name or address is no password",
    arguments: ["ada@example.org", "AdaExample1", "example.org1", "example-ada", "Ada Lovelace!"])
  func personal(_ password: String) {
    #expect(
      PasswordRules.problem(password, personal: ["Ada Lovelace", "ada@example.org", "Ada Example"]) == .passwordPersonal
    )
  }

  @Test(
    "addresses",
    arguments: [
      "ada@example.org", " ada@example.org ", "a.b+c@ex-ample.co.uk", "o'neil@example.org",
    ])
  func addresses(_ text: String) { #expect(EmailAddress(text) != nil) }

  @Test(
    "no addresses",
    arguments: [
      "", "ada", "@example.org", "ada@", "ada@example", "ada@@example.org", "ada b@example.org", ".ada@example.org",
      "ada.@example.org", "a..b@example.org", "ada@-example.org", "ada@example-.org", "ada@example..org",
      "ada@example.org.",
      "ada@example.org\r\nBcc: eve@example.org", "\"ada\"@example.org", "ada@[127.0.0.1]", "<ada@example.org>",
      "ada@exämple.org", "ada@ｋingdom.example", "ada@127.0.0.1", "ada@b.1",
      "ada@example.org,eve@example.org", "ada\u{0}@example.org", "ädä@example.org",
    ])
  func noAddresses(_ text: String) { #expect(EmailAddress(text) == nil) }

  @Test("an address has bounds")
  func addressBounds() {
    #expect(EmailAddress(String(repeating: "a", count: 64) + "@example.org") != nil)
    #expect(EmailAddress(String(repeating: "a", count: 65) + "@example.org") == nil)
    #expect(EmailAddress("a@" + (0..<5).map { _ in String(repeating: "b", count: 60) }.joined(separator: ".")) == nil)
  }

  @Test("base64url, both ways", arguments: [[], [0], [0xFF, 0xEE], [1, 2, 3], [250, 251, 252, 253]] as [[UInt8]])
  func base64url(_ bytes: [UInt8]) {
    #expect(ByteText.bytes(base64URL: ByteText.base64URL(bytes)) == bytes)
    #expect(ByteText.bytes(base64URL: ByteText.base64URL(bytes) + "=") == nil && ByteText.bytes(base64URL: "A") == nil)
  }
}
