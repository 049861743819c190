import GatewayBase

/// A JSON Schema (2020-12) made of a table of keys, for editors.
///
/// It is as strict as a schema can be: what it refuses `check` refuses too. `check` alone knows what holds between
/// files, between a route and its backend, and how a number is spelled.
package enum JSONSchema {
  /// Of a tenant's file.
  package static var tenant: String {
    document(TenantKeys.schema, title: "A tenant of speed-gateway", summary: "One app: a file of the folder tenants.")
  }

  /// Of `gateway.yaml`.
  package static var gateway: String {
    document(GatewayKeys.schema, title: "The process speed-gateway", summary: "The file gateway.yaml.")
  }

  private static func document(_ schema: MappingSchema, title: String, summary: String) -> String {
    let head: [JSONTree.Member] = [
      .init("$schema", .text("https://json-schema.org/draft/2020-12/schema")), .init("title", .text(title)),
      .init("description", .text(summary)),
    ]
    return JSONTree.object(head + mapping(schema)).pretty
  }

  private static func mapping(_ schema: MappingSchema) -> [JSONTree.Member] {
    let required = schema.rows.filter(\.isRequired).map(\.name)
    var members: [JSONTree.Member] = [
      .init("type", .text("object")),
      .init("properties", .object(schema.rows.map { .init($0.name, property($0)) })),
      .init("patternProperties", .members(["^x-": .bool(true)])), .init("additionalProperties", .bool(false)),
    ]
    if !required.isEmpty { members.append(.init("required", .texts(required))) }
    let rules = schema.rules.flatMap(Self.rules)
    if !rules.isEmpty { members.append(.init("allOf", .list(rules))) }
    return members
  }

  private static func rules(_ rule: SchemaRule) -> [JSONTree] {
    switch rule {
    case .never(let schema): return [.members(["not": schema])]
    case .one(let names, let isRequired):
      let both = JSONTree.members(["not": .members(["required": .texts(names)])])
      let any = JSONTree.members(["anyOf": .list(names.map { .members(["required": .texts([$0])]) })])
      return isRequired ? [both, any] : [both]
    }
  }

  private static func property(_ row: KeyRow) -> JSONTree {
    var members: [JSONTree.Member] = [.init("description", .text(description(row)))]
    members += shape(row.shape)
    if let value = row.defaultValue { members.append(.init("default", value)) }
    if let text = row.example, let example = row.value(of: text) { members.append(.init("examples", .list([example]))) }
    return .object(members)
  }

  private static func description(_ row: KeyRow) -> String {
    var text = row.summary
    if row.activation == .later { text += " Read and checked, but without effect yet." }
    if let otherwise = row.defaultText, row.defaultValue == nil { text += " Where it is absent: \(otherwise)." }
    return text
  }

  private static func shape(_ shape: ValueShape) -> [JSONTree.Member] {
    switch shape {
    case .text(_, let pattern):
      // A text without a form of its own is taken as written, also where YAML would guess a number.
      return pattern.map { [.init("type", .text("string")), .init("pattern", .text($0))] } ?? [
        .init("type", .texts(["string", "number", "boolean"])), .init("pattern", .text(TextPattern.visible)),
        .init("maxLength", .integer(1024)),
      ]
    case .integer(let range):
      return [
        .init("type", .text("integer")), .init("minimum", .integer(range.lowerBound)),
        .init("maximum", .integer(range.upperBound)),
      ]
    case .boolean: return [.init("type", .text("boolean"))]
    case .choice(let words): return [.init("enum", .texts(words))]
    case .list(let item, let minimum, let isUnique):
      var members: [JSONTree.Member] = [
        .init("type", .text("array")), .init("items", .object(Self.shape(item))),
      ]
      if minimum > 0 { members.append(.init("minItems", .integer(Int64(minimum)))) }
      if isUnique { members.append(.init("uniqueItems", .bool(true))) }
      return members
    case .mapping(let schema): return mapping(schema)
    case .named(let element, let minimum):
      return [
        .init("type", .text("object")), .init("patternProperties", .members(["^x-": .bool(true)])),
        .init("additionalProperties", .object(Self.shape(element))),
        .init(
          "propertyNames", .members(["pattern": .text("\(Identifier.pattern.dropLast())$|^x-")])),
        .init("minProperties", .integer(Int64(minimum))),
      ]
    }
  }
}

extension KeyRow {
  /// The default where it is a value, not words that tell how it comes about.
  var defaultValue: JSONTree? {
    guard let text = defaultText else { return nil }
    if case .text = shape, text.holds(" ") { return nil }
    return value(of: text)
  }

  /// What a text of a file would mean as the key's value; nil where it would be refused.
  func value(of text: String) -> JSONTree? {
    let scratch = Diagnostics(file: "")
    guard let root = YAMLReader.read(Array("x: \(text)".utf8), scratch), case .mapping(let entries) = root.content,
      entries.count == 1, accepts(entries[0].value)
    else { return nil }
    return JSONTree(entries[0].value, shape)
  }
}

extension JSONTree {
  /// A value of a file, by the shape that it is read in.
  init(_ node: Node, _ shape: ValueShape) {
    switch (node.content, shape) {
    case (.scalar(let text, _), .integer): self = Int64(text).map(JSONTree.integer) ?? .text(text)
    case (.scalar(let text, _), .boolean): self = .bool(text == "true")
    case (.scalar(let text, _), _): self = .text(text)
    case (.sequence(let items), .list(let item, _, _)): self = .list(items.map { JSONTree($0, item) })
    case (.sequence(let items), _): self = .list(items.map { JSONTree($0, shape) })
    case (.mapping(let entries), .mapping(let schema)):
      self = .object(
        entries.map { entry in
          let inner = schema.rows.first { $0.name == entry.key }?.shape ?? shape
          return Member(entry.key, JSONTree(entry.value, inner))
        })
    case (.mapping(let entries), .named(let element, _)):
      self = .object(entries.map { Member($0.key, JSONTree($0.value, element)) })
    case (.mapping(let entries), _): self = .object(entries.map { Member($0.key, JSONTree($0.value, shape)) })
    }
  }
}
