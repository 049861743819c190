import GatewayBase

/// Reads a mapping by its table: what the table lacks is reported at once, values when they are asked for.
struct MappingReader {
  let diagnostics: Diagnostics
  /// Where the mapping begins.
  let place: Place
  private let entries: [Node.Entry]
  /// Of each entry the row of its key; nil where the table has none.
  private let rows: [ObjectIdentifier?]

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
    var rows: [ObjectIdentifier?] = []
    rows.reserveCapacity(entries.count)
    for entry in entries {
      let known = schema.key(named: entry.key)
      rows.append(known?.row)
      if known == nil || known?.isInactive == true { Self.judge(entry, isKnown: known != nil, schema, diagnostics) }
    }
    self.rows = rows
    for row in schema.required where !has(row) {
      diagnostics.error(
        .missingKey, at: node.place, "\(schema.name) lacks the key \(Quoted(row.name))",
        hint: row.example.map { "add \(row.name): \($0)" })
    }
  }

  /// Tells what is to be said of a key that is not known, or has no effect.
  private static func judge(
    _ entry: Node.Entry, isKnown: Bool, _ schema: MappingSchema, _ diagnostics: Diagnostics
  ) {
    if isKnown {
      diagnostics.warning(
        .notYetActive, at: entry.keyPlace, "\(Quoted(entry.key)) is read but does nothing yet",
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
    // What is no name may be a line of a file of secrets, which a link has led to: problems are logged.
    let key = Identifier.isValid(entry.key) ? "key \(Quoted(entry.key))" : "such key"
    diagnostics.error(.unknownKey, at: entry.keyPlace, "\(schema.name) has no \(key)", hint: hint)
  }

  func has(_ row: KeyRow) -> Bool { index(of: ObjectIdentifier(row)) != nil }

  /// Where the value of `key` stands; the mapping's own place where it is absent.
  func place<Value>(of key: Key<Value>) -> Place { node(key.identity)?.place ?? place }

  /// The value of `key`; nil where the key is absent or, after a report, wrong.
  subscript<Value>(_ key: Key<Value>) -> Value? {
    node(key.identity).flatMap { key.type.read($0, diagnostics) }
  }

  /// The value of `key`; its default where the key is absent or, after a report, wrong.
  subscript<Value>(_ key: DefaultedKey<Value>) -> Value {
    node(key.identity).flatMap { key.type.read($0, diagnostics) } ?? key.fallback
  }

  /// The names under a key whose value is a mapping of names, whether their values are right or wrong.
  func names<Value>(under key: Key<Value>) -> [String] {
    guard case .mapping(let entries) = node(key.identity)?.content else { return [] }
    return entries.filter { !$0.isNote }.map(\.key)
  }

  private func node(_ row: ObjectIdentifier) -> Node? { index(of: row).map { entries[$0].value } }

  private func index(of row: ObjectIdentifier) -> Int? {
    var index = 0
    while index < rows.count {
      if rows[index] == row { return index }
      index += 1
    }
    return nil
  }
}
