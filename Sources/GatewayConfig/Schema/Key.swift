import GatewayBase

/// Whether a key has an effect.
enum Activation: Sendable {
  case active
  /// Read and checked, but nothing acts on it: its use is a `not_yet_active` warning.
  case later
}

/// One line of the table of keys: all that readers, the JSON Schema and the reference say of a key.
///
/// A class, as are keys: readers tell them apart by identity, tens of times for a file.
final class KeyRow: Sendable {
  let name: String
  /// One sentence for the reference.
  let summary: String
  let shape: ValueShape
  let isRequired: Bool
  /// The default as it would be written; a phrase where it is worked out.
  let defaultText: String?
  let example: String?
  let activation: Activation
  /// Whether a value is good for the key by itself.
  let accepts: @Sendable (Node) -> Bool

  fileprivate init<Value>(
    _ name: String, _ type: ValueType<Value>, _ summary: String, isRequired: Bool = false, defaultText: String? = nil,
    example: String?, _ activation: Activation
  ) {
    self.name = name
    self.summary = summary
    self.shape = type.shape
    self.isRequired = isRequired
    self.defaultText = defaultText
    self.example = example
    self.activation = activation
    accepts = { node in
      let diagnostics = Diagnostics(file: "")
      return type.read(node, diagnostics) != nil && !diagnostics.hasErrors
    }
  }
}

/// A key of a mapping with the type of its value: the table's row, and the way to read it.
final class Key<Value: Sendable>: Sendable {
  let row: KeyRow
  /// Of the row. What is looked for by it counts no references, which all threads would count in the same place.
  let identity: ObjectIdentifier
  let type: ValueType<Value>

  private init(row: KeyRow, type: ValueType<Value>) {
    self.row = row
    identity = ObjectIdentifier(row)
    self.type = type
  }

  static func required(
    _ name: String, _ type: ValueType<Value>, _ summary: String, example: String? = nil,
    _ activation: Activation = .active
  ) -> Key {
    Key(row: KeyRow(name, type, summary, isRequired: true, example: example, activation), type: type)
  }

  /// - Parameter otherwise: what holds where the key is absent, in words, unless that is "nothing".
  static func optional(
    _ name: String, _ type: ValueType<Value>, _ summary: String, otherwise: String? = nil, example: String? = nil,
    _ activation: Activation = .active
  ) -> Key {
    Key(row: KeyRow(name, type, summary, defaultText: otherwise, example: example, activation), type: type)
  }
}

/// A key that has a value also where the file is silent.
final class DefaultedKey<Value: Sendable>: Sendable {
  let row: KeyRow
  /// Of the row.
  let identity: ObjectIdentifier
  let type: ValueType<Value>
  let fallback: Value

  /// - Parameter shownAs: the default as the reference shows it, where that is not the value's own text.
  init(
    _ name: String, _ type: ValueType<Value>, _ fallback: Value, _ summary: String, shownAs defaultText: String? = nil,
    example: String? = nil, _ activation: Activation = .active
  ) {
    self.type = type
    self.fallback = fallback
    row = KeyRow(name, type, summary, defaultText: defaultText ?? "\(fallback)", example: example, activation)
    identity = ObjectIdentifier(row)
  }
}

/// The keys that a mapping may have: the one description of it.
///
/// A class, and the names by themselves, as each mapping of each file is compared with them.
final class MappingSchema: Sendable {
  /// What the mapping is, as messages say it: `a route`.
  let name: String
  let rows: [KeyRow]
  /// The keys' names, in the order of `rows`.
  let names: [String]
  /// The rows that every mapping must have.
  let required: [KeyRow]
  private let known: [String: KnownKey]
  /// What holds between the keys, as far as a JSON Schema can tell.
  let rules: [SchemaRule]

  init(_ name: String, _ rows: [KeyRow], rules: [SchemaRule] = []) {
    self.name = name
    self.rows = rows
    names = rows.map(\.name)
    required = rows.filter(\.isRequired)
    known = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (row.name, KnownKey(row: ObjectIdentifier(row), isInactive: row.activation == .later))
      })
    self.rules = rules
  }

  /// What is known of a key that a file has; nil where it is none of these.
  func key(named name: String) -> KnownKey? { known[name] }
}

/// What a reader must know of a key that a file has.
struct KnownKey: Sendable {
  let row: ObjectIdentifier
  /// Whether it is read but has no effect.
  let isInactive: Bool
}

/// What holds between the keys of a mapping.
enum SchemaRule: Sendable {
  /// Of these keys one stands at most; where it is required, exactly one.
  case one(of: [String], isRequired: Bool)
  /// No good mapping matches this JSON Schema.
  case never(JSONTree)
}
