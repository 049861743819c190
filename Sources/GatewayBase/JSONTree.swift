/// A JSON value to be written, its members in the order in which a reader wants them.
package indirect enum JSONTree: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case text(String)
  case list([JSONTree])
  case object([Member])

  package struct Member: Sendable, Equatable {
    package let name: String
    package let value: JSONTree

    package init(_ name: String, _ value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  /// An object of those members that have a value.
  package static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(members.compactMap { name, value in value.map { Member(name, $0) } })
  }

  /// A text, or null.
  package static func text(orNull text: String?) -> JSONTree { text.map(JSONTree.text) ?? .null }

  package static func texts(_ texts: some Sequence<String>) -> JSONTree { .list(texts.map(JSONTree.text)) }

  /// Indented by two spaces a level; what holds nothing nested stays on its line. Ends in a line feed.
  package var pretty: String {
    var out = ""
    write(to: &out, indentation: 0)
    return out + "\n"
  }

  /// Without blanks, on one line.
  package var compact: String {
    switch self {
    case .null, .bool, .integer, .text: return scalar
    case .list(let items): return "[" + items.map(\.compact).joined(separator: ",") + "]"
    case .object(let members):
      return "{" + members.map { JSONText.quoted($0.name) + ":" + $0.value.compact }.joined(separator: ",") + "}"
    }
  }

  /// Of what holds nothing nested.
  private var scalar: String {
    switch self {
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .text(let text): JSONText.quoted(text)
    case .null, .list, .object: "null"
    }
  }

  private var isFlat: Bool {
    switch self {
    case .null, .bool, .integer, .text: true
    case .list(let items): items.isEmpty
    case .object(let members): members.isEmpty
    }
  }

  private func write(to out: inout String, indentation: Int) {
    switch self {
    case .null, .bool, .integer, .text: out += scalar
    case .list(let items):
      Self.write(items, "[", "]", isOneLine: items.allSatisfy(\.isFlat), to: &out, indentation) { item, out, level in
        item.write(to: &out, indentation: level)
      }
    case .object(let members):
      let isOneLine = members.count < 3 && members.allSatisfy(\.value.isFlat)
      Self.write(members, "{", "}", isOneLine: isOneLine, to: &out, indentation) { member, out, level in
        out += JSONText.quoted(member.name) + ": "
        member.value.write(to: &out, indentation: level)
      }
    }
  }

  private static func write<Part>(
    _ parts: [Part], _ open: String, _ close: String, isOneLine: Bool, to out: inout String, _ indentation: Int,
    _ writePart: (Part, inout String, Int) -> Void
  ) {
    out += open
    let level = indentation + 2
    for (index, part) in parts.enumerated() {
      if index > 0 { out += isOneLine ? ", " : "," }
      if !isOneLine { out += "\n" + String(repeating: " ", count: level) }
      writePart(part, &out, level)
    }
    if !isOneLine && !parts.isEmpty { out += "\n" + String(repeating: " ", count: indentation) }
    out += close
  }
}
