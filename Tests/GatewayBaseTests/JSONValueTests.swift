import GatewayBase
import Testing

@Suite("JSON values")
struct JSONValueTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  @Test("every kind of value is read")
  func kinds() throws {
    let value = try parse(" {\"a\":[null,true,false,0,-1,1.5,1e2,\"x\"],\"b\":{},\"c\":[]}\n")
    #expect(
      value["a"]?.array == [
        .null, .bool(true), .bool(false), .integer(0), .integer(-1), .real(1.5), .real(100), .string("x"),
      ])
    #expect(value["b"]?.object?.isEmpty == true)
    #expect(value["c"]?.array?.isEmpty == true)
    #expect(value["d"] == nil)
    #expect(try parse("7")["a"] == nil)
  }

  @Test("an integer keeps its 64 bits; a longer number is a real one")
  func numbers() throws {
    #expect(try parse("9223372036854775807").integer == Int64.max)
    #expect(try parse("-9223372036854775808").integer == Int64.min)
    #expect(try parse("9223372036854775808") == .real(9_223_372_036_854_775_808))
    #expect(try parse("1.0").integer == nil)
  }

  @Test("escapes and characters of every length are read")
  func strings() throws {
    #expect(
      try parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\udeb2 Zoë 🚲 Ω\"").string
        == "\"\\/\u{8}\u{C}\n\r\tA🚲 Zoë 🚲 Ω")
    #expect(try parse("\"\\u0000\"").string == "\0")
  }

  @Test(
    "what is no JSON text is refused",
    arguments: [
      "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[1,", "[1,]", "{\"a\":1,}", "{a:1}",
      "'a'", "nul",
      "nulll", "True", "01", "-", "1.", ".5", "+1", "1e", "1e+", "0x10", "NaN", "1e999", "1 2", "{} {}", "[1 2]",
      "{\"a\" 1}",
      "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "\"\t\"", "\u{FEFF}{}",
      "/**/1",
    ])
  func malformed(text: String) {
    #expect(throws: JSONMalformed.self) { try parse(text) }
  }

  @Test("a name given twice is refused, also where it is written in two ways")
  func duplicateName() {
    for text in ["{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "[{\"b\":{\"a\":1,\"a\":2}}]"] {
      #expect { try parse(text) } throws: { ($0 as? JSONMalformed)?.reason == .duplicateName }
    }
  }

  @Test("invalid UTF-8 in a string is refused")
  func invalidUTF8() {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      #expect(throws: JSONMalformed.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }
  }

  @Test("nesting is bounded, so that no text exhausts the stack")
  func nesting() throws {
    let depth = Limits.jsonDepth
    _ = try parse(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    for count in [depth + 1, 100_000] {
      #expect { try parse(String(repeating: "[", count: count)) } throws: {
        ($0 as? JSONMalformed)?.reason == .tooDeep
      }
    }
  }

  @Test("an error tells where the fault is")
  func offset() {
    for (text, offset, reason) in [("{\"a\":x}", 5, JSONMalformed.Reason.unexpectedByte), ("{}x", 2, .trailingBytes)] {
      #expect { try parse(text) } throws: {
        ($0 as? JSONMalformed)?.offset == offset && ($0 as? JSONMalformed)?.reason == reason
      }
    }
  }
}
