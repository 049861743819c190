extension JSONValue {
  /// The value as JSON text without blanks, members in the order of their names: equal values have equal texts.
  package var jsonText: [UInt8] {
    var text: [UInt8] = []
    append(to: &text)
    return text
  }

  private func append(to text: inout [UInt8]) {
    switch self {
    case .null: text += Array("null".utf8)
    case .bool(let flag): text += Array((flag ? "true" : "false").utf8)
    case .integer(let number): text += Array(String(number).utf8)
    // JSON has no text for what is not finite.
    case .real(let number): text += Array((number.isFinite ? "\(number)" : "null").utf8)
    case .string(let string): JSONText.append(string, to: &text)
    case .array(let elements): Self.append(elements, between: "[]", to: &text) { $0.append(to: &$1) }
    case .object(let members):
      Self.append(members.sorted { $0.key < $1.key }, between: "{}", to: &text) { member, text in
        JSONText.append(member.key, to: &text)
        text.append(UInt8(ascii: ":"))
        member.value.append(to: &text)
      }
    }
  }

  private static func append<Part>(
    _ parts: [Part], between brackets: StaticString, to text: inout [UInt8],
    _ appendPart: (Part, inout [UInt8]) -> Void
  ) {
    let brackets = Array("\(brackets)".utf8)
    text.append(brackets[0])
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendPart(part, &text)
    }
    text.append(brackets[1])
  }
}
