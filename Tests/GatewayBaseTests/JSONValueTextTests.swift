import GatewayBase
import Testing

@Suite struct JSONValueTextTests {
  @Test("a value's text reads back as the value, members sorted and controls escaped")
  func roundTrip() throws {
    let value = JSONValue.object([
      "b": .array([.null, .bool(true), .integer(-7), .real(1.5)]), "a": .string("x\u{1B}\"\u{202E}"), "c": .object([:]),
    ])
    #expect(value.text == #"{"a":"x\u001b\"\u202e","b":[null,true,-7,1.5],"c":{}}"#)
    #expect(try JSONValue(parsing: Array(value.text.utf8)) == value)
  }
}
