import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Letters") struct LetterTests {
  private static let link = "https://dash.example.com/platform/auth/verify?appId=1&id=x"

  private static func all(_ language: Language, name: String = "Notes") -> [ProviderMail] {
    let to = "jane@example.com"
    return [
      Letters.verification(language, to: to, app: name, code: "12345678", link: link, minutes: 15),
      Letters.verification(language, to: to, app: nil, code: "12345678", link: link, minutes: 15),
      Letters.newAddress(language, to: to, code: "12345678", link: link, minutes: 15),
      Letters.reset(language, to: to, code: "12345678", link: link, minutes: 15),
      Letters.addressInUse(language, to: to, signInLink: link, resetLink: link + "&reset"),
      Letters.addressChanged(language, to: to, newAddress: "new@example.org"),
      Letters.passkeyAdded(language, to: to, passkey: name, accountLink: link),
      Letters.passwordChanged(language, to: to, resetLink: link),
    ]
  }

  @Test("a letter is of one subject, for one recipient, as text and as HTML", arguments: Language.allCases)
  func shape(_ language: Language) throws {
    let letters = Self.all(language)
    #expect(Set(letters.map(\.subject)).count == letters.count - 1)
    for letter in letters {
      #expect(letter.recipient == "jane@example.com")
      #expect(!letter.subject.isEmpty && !letter.subject.contains { $0.isNewline })
      let html = Markup(try #require(letter.html))
      #expect(html.all("html").first?["lang"] == language.rawValue)
      #expect(html.all("script").isEmpty && html.all("img").isEmpty && html.all("style").isEmpty)
      #expect(letter.text.hasSuffix("-- \n\(language.texts.common.brand)\n"))
      #expect(letter.text.allSatisfy { $0 == "\n" || !$0.isNewline })
    }
  }

  @Test("the code and the link are in both forms of a letter that has them", arguments: Language.allCases)
  func content(_ language: Language) throws {
    for letter in Self.all(language).prefix(4) {
      let html = Markup(try #require(letter.html))
      #expect(letter.text.contains("    12345678\n") && html.text.contains(">12345678<"))
      #expect(letter.text.contains(":\n\(Self.link)\n") && html.all("a").map { $0["href"] } == [Self.link])
      #expect(letter.text.contains("15") && html.text.contains("15"))
    }
    let inUse = Self.all(language)[4]
    #expect(Markup(try #require(inUse.html)).all("a").map { $0["href"] } == [Self.link, Self.link + "&reset"])
  }

  @Test("the app is named where a browser was on its way to one")
  func app() {
    let letters = Self.all(.english)
    #expect(letters[0].text.contains("continue to Notes with your Speed account"))
    #expect(!letters[1].text.contains("Notes"))
  }

  @Test("the old address learns that there is a new one, not which")
  func changed() {
    for language in Language.allCases {
      let letter = Self.all(language)[5]
      #expect(letter.text.contains("n•••@example.org") && !letter.text.contains("new@"))
      #expect(letter.html?.markup.contains("new@") == false)
    }
    #expect(Letters.masked("@example.org") == "•••")
    #expect(Letters.masked("nobody") == "•••")
    #expect(Letters.masked("a@b@example.org") == "a•••@example.org")
  }

  @Test("no name begins a line or becomes markup")
  func hostileNames() throws {
    let hostile = "N\r\nBcc: x\u{2028}<b>&"
    for language in Language.allCases {
      for letter in Self.all(language, name: hostile) {
        #expect(!letter.subject.contains("Bcc"))
        #expect(!letter.text.contains("\nBcc") && !letter.text.contains("\r") && !letter.text.contains("\u{2028}"))
        #expect(letter.html?.markup.contains("<b>") == false)
      }
    }
  }

  @Test("nothing of a letter is printed")
  func redacted() {
    #expect("\(Self.all(.english)[0])" == "<ProviderMail>")
  }
}
