import GatewayBase
import Testing

@Suite("Forms") struct FormFieldsTests {
  @Test("fields are decoded; a name without a value has an empty one")
  func fields() {
    #expect(FormFields("a=1&b=x+y%26&c&=e".utf8)?.values == ["a": "1", "b": "x y&", "c": "", "": "e"])
    #expect(FormFields("&&a=b=c&".utf8)?.values == ["a": "b=c"])
    #expect(FormFields("".utf8)?.values == [:])
    #expect(FormFields("%61=Zo%C3%AB".utf8)?["a"] == "Zoë")
  }

  @Test(
    "what two readers could read in two ways is no form",
    arguments: ["a=1&a=2", "a=1&%61=2", "a=%", "a=%f", "a=%zz", "a=%FF", "%C3=x"])
  func refused(text: String) { #expect(FormFields(text.utf8) == nil) }

  @Test("what is encoded comes back")
  func encoding() {
    let text = "a b&c=d/é\u{0}~"
    #expect(FormFields("x=\(PercentEncoding.encode(text))".utf8)?["x"] == text)
    #expect(PercentEncoding.encode("aZ09-._~ /é") == "aZ09-._~%20%2F%C3%A9")
  }
}
