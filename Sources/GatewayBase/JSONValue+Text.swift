extension JSONValue {
  /// The value as JSON on one line, the members of objects sorted by name. Safe to show: see `JSONText`.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { JSONText.quoted($0.key) + ":" + $0.value.text }
        .joined(separator: ",") + "}"
    }
  }
}
