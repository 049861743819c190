import GatewayBase
import Testing

@testable import GatewayCrypto

@Suite("Passwords") struct PasswordDerivationTests {
  private func secret(_ text: String) -> Secret { Secret(text.utf8) }

  @Test("a password is known again, whatever is in it, and another one is not")
  func derives() throws {
    for password in ["correct horse battery staple", "", "pässwörd 🔑", String(repeating: "long ", count: 200)] {
      let kept = try PasswordDerivation.derive(secret(password))
      #expect(kept.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
      #expect(try PasswordDerivation.isPassword(secret(password), of: kept))
      #expect(try !PasswordDerivation.isPassword(secret(password + "x"), of: kept))
    }
    let twice = try (0..<2).map { _ in try PasswordDerivation.derive(secret("same")) }
    #expect(twice[0] != twice[1])
  }

  /// RFC 7914 section 12, written as kept text: the last of its vectors that stays within bounds.
  @Test("what others derived by the same rules is known")
  func vector() throws {
    let key =
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
      + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
    let bytes = try #require(Hex.decode(Array(key.utf8)))
    let text =
      "$scrypt$ln=14,r=8,p=1$\(Base64URL.encode(Array("SodiumChloride".utf8)))$"
      + Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
    #expect(try PasswordDerivation.isPassword(secret("pleaseletmein"), of: text))
    #expect(try !PasswordDerivation.isPassword(secret("pleaseletmeout"), of: text))
  }

  @Test(
    "text that is none, or asks for more than a sign-in may cost, is nobody's password",
    arguments: [
      "", "secret", "$scrypt$", "$scrypt$ln=15,r=8,p=3$AAAAAAAAAAA$",
      "$scrypt$ln=63,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=17,r=16,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=9,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=15,r=8,p=99$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=-1,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=15,r=8,p=1$c2FsdHNhbHQ$AAAA", "$argon2id$v=19$m=65536$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=15,r=8,p=1$c2Fs-HNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    ])
  func malformed(_ text: String) throws {
    #expect(try !PasswordDerivation.isPassword(secret(""), of: text))
  }

  /// By the processor's time of the thread: what else runs on the machine counts little.
  @Test("where there is no account, a comparison costs as much as where there is one")
  func equalCost() throws {
    let kept = try PasswordDerivation.derive(secret("correct horse"))
    func cost(of kept: String?) throws -> UInt64 {
      try (0..<3).map { _ in
        let start = ThreadTime.nanoseconds
        _ = try PasswordDerivation.isPassword(secret("wrong"), of: kept)
        return ThreadTime.nanoseconds - start
      }.min() ?? 0
    }
    let (known, unknown) = (try cost(of: kept), try cost(of: nil))
    #expect(unknown * 2 > known && known * 2 > unknown)
    #expect(unknown > 10_000_000)
  }
}
