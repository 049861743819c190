import Foundation
import GatewayBase
import Testing

@Suite("JSON text") struct JSONTextTests {
  @Test(
    "GW-110 what could split or disguise a log line is escaped",
    arguments: [
      ("\r\nFAKE", #""\r\nFAKE""#),
      ("\u{85}", #""\u0085""#),
      ("\u{9B}31m", #""\u009b31m""#),
      ("\u{1B}[2J", #""\u001b[2J""#),
      ("\u{7F}", #""\u007f""#),
      ("\u{0}", #""\u0000""#),
      ("\u{2028}\u{2029}", #""\u2028\u2029""#),
      ("\u{202E}txt.exe", #""\u202etxt.exe""#),
      ("\u{2066}a\u{2069}", #""\u2066a\u2069""#),
      ("\u{200E}\u{200F}\u{61C}\u{FEFF}", #""\u200e\u200f\u061c\ufeff""#),
    ])
  func escapes(text: String, quoted: String) {
    #expect(JSONText.quoted(text) == quoted)
  }

  @Test("quotes, backslashes and tabs have their short forms")
  func shortForms() {
    #expect(JSONText.quoted("a\"b\\c\td") == #""a\"b\\c\td""#)
  }

  @Test("letters of every script and emoji pass as they are")
  func passes() {
    #expect(JSONText.quoted("Zoë 🚲 ✨ Ω") == "\"Zoë 🚲 ✨ Ω\"")
  }

  @Test("every scalar reads back as itself")
  func readsBack() throws {
    var text = ""
    for value in UInt32(0)...0x2FFF { if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) } }
    text.unicodeScalars.append(Unicode.Scalar(0x10FFFF)!)
    let read = try JSONDecoder().decode(String.self, from: Data(JSONText.quoted(text).utf8))
    #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
  }
}
