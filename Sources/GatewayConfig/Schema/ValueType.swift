/// What a value looks like, without its meaning: for the JSON Schema and the reference.
indirect enum ValueShape: Sendable {
  /// - Parameters:
  ///   - form: in words: `a bundle ID`.
  ///   - pattern: a regular expression (ECMA 262) that every good value matches, where there is one.
  case text(form: String, pattern: String?)
  case integer(ClosedRange<Int64>)
  case boolean
  case choice([String])
  /// - Parameter isUnique: whether no item may stand in it twice.
  case list(ValueShape, minimum: Int, isUnique: Bool)
  case mapping(MappingSchema)
  /// A mapping whose keys are names that the writer chooses.
  case named(ValueShape, minimum: Int)
}

/// How a value is read: its shape, and a function that gives the value or reports why not.
struct ValueType<Value: Sendable>: Sendable {
  let shape: ValueShape
  let read: @Sendable (Node, Diagnostics) -> Value?
}

extension ValueType {
  /// The same type, with the place where the value stands.
  var placed: ValueType<Placed<Value>> {
    ValueType<Placed<Value>>(shape: shape) { node, diagnostics in
      read(node, diagnostics).map { Placed(value: $0, place: node.place) }
    }
  }

  /// A list with `minimum` items or more.
  ///
  /// - Parameter isUnique: told by the shape alone; see `Diagnostics.checkUnique`.
  func list(minimum: Int = 0, isUnique: Bool = false) -> ValueType<[Value]> {
    ValueType<[Value]>(shape: .list(shape, minimum: minimum, isUnique: isUnique)) { node, diagnostics in
      guard !node.isNull else { return diagnostics.empty(node, hint: "write a list such as [a, b]") }
      guard case .sequence(let items) = node.content else {
        return diagnostics.wrongKind(
          node, due: "a list", hint: "put it in brackets: [a], or in lines that begin with a dash")
      }
      guard items.count >= minimum else { return diagnostics.empty(node, hint: "list \(minimum) or more") }
      return items.compactMap { read($0, diagnostics) }
    }
  }

  /// A mapping whose keys are names of the writer's choice, in the order of the file.
  static func named<Element>(_ element: ValueType<Element>, minimum: Int = 0) -> ValueType<[Named<Element>]>
  where Value == [Named<Element>] {
    ValueType(shape: .named(element.shape, minimum: minimum)) { node, diagnostics in
      guard !node.isNull else { return diagnostics.empty(node, hint: "write name: { … }") }
      guard case .mapping(let entries) = node.content else {
        return diagnostics.wrongKind(node, due: "a mapping of names", hint: "write name: { … }")
      }
      guard entries.count >= minimum else { return diagnostics.empty(node, hint: "give \(minimum) or more") }
      return entries.compactMap { entry in
        guard !entry.key.hasPrefix("x-") else { return nil }
        let isName = Identifier.check(entry.key, at: entry.keyPlace, diagnostics)
        return element.read(entry.value, diagnostics).flatMap {
          isName ? Named(name: entry.key, value: $0) : nil
        }
      }
    }
  }

  /// A mapping with the keys of `schema`, from which `build` makes the value.
  static func mapping(
    _ schema: MappingSchema, _ build: @escaping @Sendable (MappingReader) -> Value?
  ) -> ValueType {
    ValueType(shape: .mapping(schema)) { node, diagnostics in
      MappingReader(node, schema, diagnostics).flatMap(build)
    }
  }
}

/// A value under a name of the writer's choice.
struct Named<Value: Sendable>: Sendable {
  let name: String
  let value: Value
}

extension Diagnostics {
  func empty<Value>(_ node: Node, hint: String) -> Value? {
    error(.emptyValue, at: node.place, "there is no value", hint: hint)
    return nil
  }

  func wrongKind<Value>(_ node: Node, due: String, hint: String?) -> Value? {
    invalid(node.place, "\(due) is due here, not \(node.kind)", hint: hint)
    return nil
  }
}
