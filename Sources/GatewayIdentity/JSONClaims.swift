import GatewayBase

/// Writes the claims of a token as one JSON object, in the order they are added.
struct JSONClaims {
  private var text = Array("{".utf8)

  private mutating func addName(_ name: StaticString) {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    text += Array("\"\(name)\":".utf8)
  }

  mutating func add(_ name: StaticString, _ value: String) {
    addName(name)
    JSONText.append(value, to: &text)
  }

  /// As whole seconds (RFC 7519 section 2, NumericDate).
  mutating func add(_ name: StaticString, _ value: UnixTime) {
    addName(name)
    text += Array(String(value.seconds).utf8)
  }

  /// As whole milliseconds.
  mutating func add(_ name: StaticString, milliseconds value: UnixTime) {
    addName(name)
    text += Array(String(value.milliseconds).utf8)
  }

  mutating func add(_ name: StaticString, _ value: Bool) {
    addName(name)
    text += Array((value ? "true" : "false").utf8)
  }

  var bytes: [UInt8] { text + [UInt8(ascii: "}")] }
}
