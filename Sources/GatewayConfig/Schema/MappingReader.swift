import GatewayBase

/// Reads a mapping by its table: what the table lacks is reported at once, values when they are asked for.
struct MappingReader {
  let diagnostics: Diagnostics
  /// Where the mapping begins.
  let place: Place
  private let entries: [Node.Entry]
  /// Of each entry the row of its key; nil where the table has none.
  private let rows: [KeyRow?]

  /// Nil, with a problem reported, where `node` is no mapping.
  init?(_ node: Node, _ schema: MappingSchema, _ diagnostics: Diagnostics) {
    guard !node.isNull else {
      let _: Never? = diagnostics.empty(node, hint: "write the keys of \(schema.name), or remove the key")
      return nil
    }
    guard case .mapping(let entries) = node.content else {
      let _: Never? = diagnostics.wrongKind(
        node, due: "a mapping (\(schema.name))", hint: "its keys are \(schema.names.joined(separator: ", "))"
      )
      return nil
    }
    self.diagnostics = diagnostics
    self.place = node.place
    self.entries = entries
    rows = entries.map { schema.row(named: $0.key) }
    for index in entries.indices { Self.judge(entries[index], rows[index], schema, diagnostics) }
    for row in schema.required where !has(row) {
      diagnostics.error(
        .missingKey, at: node.place, "\(schema.name) lacks the key \(Quoted(row.name))",
        hint: row.example.map { "add \(row.name): \($0)" })
    }
  }

  private static func judge(
    _ entry: Node.Entry, _ row: KeyRow?, _ schema: MappingSchema, _ diagnostics: Diagnostics
  ) {
    if let row {
      guard row.activation == .later else { return }
      diagnostics.warning(
        .notYetActive, at: entry.keyPlace, "\(Quoted(row.name)) is read but does nothing yet",
        hint: "it may stay: a later version acts on it")
      return
    }
    guard !entry.isNote else { return }
    if case .scalar = entry.value.content, PlainSecret.isNamed(entry.key) {
      PlainSecret.report(entry.value, key: entry.key, schema, diagnostics)
      return
    }
    let hint =
      nearest(to: entry.key, among: schema.names).map { "did you mean `\($0)`?" }
      ?? "known here: \(schema.names.joined(separator: ", ")); a note begins with x-"
    diagnostics.error(.unknownKey, at: entry.keyPlace, "\(schema.name) has no key \(Quoted(entry.key))", hint: hint)
  }

  func has(_ row: KeyRow) -> Bool { index(of: row) != nil }

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
    return entries.filter { !$0.isNote }.map(\.key)
  }

  private func node(_ row: KeyRow) -> Node? { index(of: row).map { entries[$0].value } }

  private func index(of row: KeyRow) -> Int? {
    var index = 0
    while index < rows.count {
      if rows[index] === row { return index }
      index += 1
    }
    return nil
  }
}
