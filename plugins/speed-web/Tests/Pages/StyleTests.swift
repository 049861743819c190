import Foundation
import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Style and scripts of the pages") struct StyleTests {
  /// The colours of the sheet, light and dark, by name.
  private var palettes: [[String: String]] {
    Style.sheet.markup.matches(of: #/:root\{([^}]*)\}/#).map { match in
      var colours: [String: String] = [:]
      for pair in match.1.split(separator: ";") {
        let parts = pair.split(separator: ":").map(String.init)
        if parts[0].hasPrefix("--") { colours[parts[0]] = parts[1] }
      }
      return colours
    }
  }

  /// Contrast of two colours (WCAG 2.2, definition of contrast ratio).
  private func contrast(_ one: String, _ other: String) -> Double {
    let luminances = [luminance(one), luminance(other)].sorted()
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)
  }

  private func luminance(_ colour: String) -> Double {
    var digits = Array(colour.dropFirst())
    if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
    let parts = stride(from: 0, to: 6, by: 2).map { at in
      let value = Double(Int(String(digits[at...at + 1]), radix: 16) ?? 0) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  @Test("texts have a contrast of 4.5 to 1, fields and signs one of 3 to 1, light and dark")
  func contrasts() throws {
    #expect(palettes.count == 2)
    for palette in palettes {
      func colour(_ name: String) throws -> String { try #require(palette["--" + name]) }
      let texts = [
        ("ink", "card"), ("ink", "page"), ("soft", "card"), ("soft", "page"), ("link", "card"), ("link", "tint"),
        ("on", "fill"), ("on", "over"), ("bad", "card"), ("bad", "bad-tint"), ("good", "good-tint"),
      ]
      for (text, ground) in texts { #expect(try contrast(colour(text), colour(ground)) >= 4.5, "\(text) on \(ground)") }
      for (line, ground) in [("line", "card"), ("fill", "card"), ("link", "card")] {
        #expect(try contrast(colour(line), colour(ground)) >= 3, "\(line) on \(ground)")
      }
    }
  }

  @Test("the browser's own frame takes the page's colours")
  func frameColours() {
    #expect(palettes.map { $0["--card"] } == [Style.lightFrame, Style.darkFrame])
  }

  @Test("the scripts fetch nothing, store nothing and make no markup")
  func scripts() {
    let all = Scripts.common.markup + Scripts.signIn.markup + Scripts.register.markup
    for word in [
      "fetch", "XMLHttpRequest", "sendBeacon", "WebSocket", "eval", "innerHTML", "document.write", "localStorage",
      "sessionStorage", "document.cookie", "</script", "<!--",
    ] { #expect(!all.contains(word), "\(word)") }
  }

  @Test("the passkey scripts find every field and every text that they need")
  func passkeyForms() throws {
    let frame = PageSample.frame(.english)
    for (page, script) in [
      (Pages.signIn(frame, SignInModel(passkey: PageSample.prompt)), Scripts.signIn),
      (Pages.addPasskey(frame, PageSample.passkey()), Scripts.register),
    ] {
      let markup = Markup(page)
      #expect(page.markup.contains(script.markup))
      let form = try #require(markup.tag(id: "passkey"))
      #expect(form.name == "form" && markup.tag(id: "passkey-failure") != nil)
      let fields = markup.all("input").compactMap { $0["name"] }
      for match in script.markup.matches(of: #/([a-z_]+): (?:id\b|text\(|response\.user)/#) {
        #expect(fields.contains(String(match.1)), "\(match.1)")
      }
      for match in script.markup.matches(of: #/(?:dataset|data)\.([a-z]+)/#) {
        #expect(form["data-" + match.1] != nil, "\(match.1)")
      }
      #expect(form["data-challenge"] == ByteText.base64URL(PageSample.prompt.challenge))
    }
  }

  @Test("a page without a passkey has no script for one")
  func noPasskey() {
    let page = Pages.signIn(PageSample.frame(.english), SignInModel())
    #expect(!page.markup.contains("navigator.credentials") && !page.markup.contains("id=\"passkey\""))
  }

  @Test("nobody changes what passkeys exist already: they are named to the browser")
  func excluded() {
    let form = Markup(Pages.addPasskey(PageSample.frame(.english), PageSample.passkey())).tag(id: "passkey")
    #expect(form?["data-known"] == "AQI _w")
    #expect(form?["data-handle"] == "AQID")
  }
}
