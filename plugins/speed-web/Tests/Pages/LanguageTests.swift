import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Languages of the pages") struct LanguageTests {
  @Test(
    "the first language that there is wins, by its primary subtag",
    arguments: [
      (["de-at", "en"], Language.german), (["nl", "fr-ca", "de"], .french), (["pt-br"], .portuguese),
      (["ja"], .japanese),
      (["es-419"], .spanish), (["zh-hant", "ru"], .english), ([], .english), (["*"], .english), (["deu"], .english),
      (["EN-GB"], .english), (["", "de_DE"], .german),
    ])
  func choice(_ preferred: [String], _ language: Language) {
    #expect(Language(preferred: preferred) == language)
  }

  @Test("every language says everything, and in its own words", arguments: Language.allCases)
  func completeness(_ language: Language) {
    let (said, english) = (strings(language.texts), strings(Texts.english))
    #expect(said.count == english.count && said.count > 80)
    #expect(said.allSatisfy { !$0.isEmpty && $0 == $0.trimmed })
    guard language != .english else { return }
    // Words that are the same, such as "Name" and "Passkeys".
    #expect(zip(said, english).filter(==).count <= 5)
  }

  @Test("texts are set with the marks of their language", arguments: Language.allCases)
  func typography(_ language: Language) {
    for text in strings(language.texts) + strings(language.letterTexts) {
      #expect(!text.contains("'") && !text.contains("...") && !text.contains("  "), "\(text)")
      guard language == .french else { continue }
      #expect(text.firstMatch(of: #/[^\u{A0}][?!;:»]/#) == nil, "\(text)")
    }
  }

  @Test("every language says Speed account", arguments: Language.allCases)
  func brand(_ language: Language) {
    #expect(language.texts.common.brand.contains("Speed"))
    #expect(language.texts.account.heading.contains("Speed"))
  }

  @Test("names within a sentence are kept apart from its direction")
  func names() {
    let page = Pages.signUp(PageSample.frame(.english, app: "דוגמה"), SignUpModel())
    #expect(page.markup.contains("<bdi translate=\"no\">דוגמה</bdi>"))
  }

  private func strings(_ value: Any) -> [String] {
    Mirror(reflecting: value).children.flatMap { child in (child.value as? String).map { [$0] } ?? strings(child.value)
    }
  }
}
