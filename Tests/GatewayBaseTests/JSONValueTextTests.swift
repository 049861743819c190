import GatewayBase
import Testing

@Suite("JSON values as text") struct JSONValueTextTests {
  @Test(
    "what is written reads back as the same value",
    arguments: [
      "null", "true", "false", "0", "-9223372036854775808", "9223372036854775807", "1.5", "\"\"", "[]", "{}",
      #"[1,[2,{"a":[]}],"x"]"#, #"{"a":{"b":null},"c":"\"\\é"}"#,
    ])
  func roundTrip(text: String) throws {
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(String(decoding: value.jsonText, as: UTF8.self) == text)
  }

  @Test("large and small numbers keep their value", arguments: [1e300, -1e300, 5e-324, 0.1, 1e16])
  func reals(number: Double) throws {
    #expect(try JSONValue(parsing: JSONValue.real(number).jsonText) == .real(number))
  }

  @Test("members stand in the order of their names")
  func order() {
    let value = JSONValue.object(["b": .integer(2), "c": .integer(3), "a": .integer(1)])
    #expect(String(decoding: value.jsonText, as: UTF8.self) == #"{"a":1,"b":2,"c":3}"#)
  }

  @Test("a number that is not finite is null, as it has no text")
  func notFinite() {
    #expect(JSONValue.array([.real(.nan), .real(.infinity)]).jsonText == Array("[null,null]".utf8))
  }
}
