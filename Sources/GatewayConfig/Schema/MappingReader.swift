import GatewayBase

/// Reads a mapping by its table: what the table lacks is reported at once, values when they are asked for.
struct MappingReader {
  let diagnostics: Diagnostics
  /// Where the mapping begins.
  let place: Place
  private let entries: [Node.Entry]

  /// Nil, with a problem reported, where `node` is no mapping.
  init?(_ node: Node, _ schema: MappingSchema, _ diagnostics: Diagnostics) {
    guard !node.isNull else {
      let _: Never? = diagnostics.empty(node, hint: "write the keys of \(schema.name), or remove the key")
      return nil
    }
    guard case .mapping(let entries) = node.content else {
      let _: Never? = diagnostics.wrongKind(
        node, due: "a mapping (\(schema.name))", hint: "its keys are \(schema.rows.map(\.name).joined(separator: ", "))"
      )
      return nil
    }
    self.diagnostics = diagnostics
    self.place = node.place
    self.entries = entries
    for entry in entries where !entry.key.hasPrefix("x-") { Self.judge(entry, schema, diagnostics) }
    for row in schema.rows where row.isRequired && !has(row.name) {
      diagnostics.error(
        .missingKey, at: node.place, "\(schema.name) lacks the key \(Quoted(row.name))",
        hint: row.example.map { "add \(row.name): \($0)" })
    }
  }

  private static func judge(_ entry: Node.Entry, _ schema: MappingSchema, _ diagnostics: Diagnostics) {
    if let row = schema.row(entry.key) {
      guard row.activation == .later else { return }
      diagnostics.warning(
        .notYetActive, at: entry.keyPlace, "\(Quoted(row.name)) is read but does nothing yet",
        hint: "it may stay: a later version acts on it")
      return
    }
    if case .scalar = entry.value.content, PlainSecret.isNamed(entry.key) {
      PlainSecret.report(entry.value, key: entry.key, schema, diagnostics)
      return
    }
    let names = schema.rows.map(\.name)
    let hint =
      nearest(to: entry.key, among: names).map { "did you mean `\($0)`?" }
      ?? "known here: \(names.joined(separator: ", ")); a note begins with x-"
    diagnostics.error(.unknownKey, at: entry.keyPlace, "\(schema.name) has no key \(Quoted(entry.key))", hint: hint)
  }

  func has(_ name: String) -> Bool { entries.contains { $0.key == name } }

  /// Where the value of `key` stands; the mapping's own place where it is absent.
  func place<Value>(of key: Key<Value>) -> Place { node(key.row)?.place ?? place }

  /// The value of `key`; nil where the key is absent or, after a report, wrong.
  subscript<Value>(_ key: Key<Value>) -> Value? {
    node(key.row).flatMap { key.type.read($0, diagnostics) }
  }

  /// The value of `key`; its default where the key is absent or, after a report, wrong.
  subscript<Value>(_ key: DefaultedKey<Value>) -> Value {
    node(key.row).flatMap { key.type.read($0, diagnostics) } ?? key.fallback
  }

  /// The names under a key whose value is a mapping of names, whether their values are right or wrong.
  func names<Value>(under key: Key<Value>) -> [String] {
    guard case .mapping(let entries) = node(key.row)?.content else { return [] }
    return entries.map(\.key).filter { !$0.hasPrefix("x-") }
  }

  private func node(_ row: KeyRow) -> Node? { entries.first { $0.key == row.name }?.value }
}
