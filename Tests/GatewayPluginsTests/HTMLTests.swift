import ProviderKit
import Testing

@Suite("HTML that escapes by construction") struct HTMLTests {
  @Test("what a literal says stands, and what is put in is no markup")
  func escapes() {
    let text = "<b>&\"'"
    let html: HTML = "<p title=\"\(text)\">\(text)</p>"
    #expect(html.markup == "<p title=\"&lt;b&gt;&amp;&quot;&#39;\">&lt;b&gt;&amp;&quot;&#39;</p>")
  }

  @Test("B49 a sign that a combining mark makes one character with is escaped all the same")
  func combiningMarks() {
    for sign in ["<", ">", "&", "\"", "'"] {
      let text = "\(sign)\u{338}"
      let html: HTML = "\(text)"
      #expect(html.markup.utf8.starts(with: "&".utf8) && !html.markup.utf8.dropFirst().contains(sign.utf8.first ?? 0))
    }
  }

  @Test("a piece goes into another as it is, and several behind one another")
  func pieces() {
    let items = ["a", "<"].map { "<li>\($0)</li>" as HTML }
    let list: HTML = "<ul>\(items)</ul>"
    let page: HTML = "<main>\(list)</main>"
    #expect(page.markup == "<main><ul><li>a</li><li>&lt;</li></ul></main>")
  }

  @Test("a text in a script is one string, whatever it holds")
  func scripts() {
    let html: HTML = "<script>f(\(script: "</script>\"\n\\ü😀"))</script>"
    #expect(
      html.markup
        == "<script>f(\"\\u003c\\u002fscript\\u003e\\u0022\\u000a\\u005c\\u00fc\\ud83d\\ude00\")</script>")
  }

  @Test("it prints its type alone")
  func redacted() {
    let html: HTML = "secret"
    #expect("\(html)" == "<HTML>")
  }
}
