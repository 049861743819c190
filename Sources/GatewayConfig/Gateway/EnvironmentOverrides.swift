/// `SPEED_…` variables, which take the place of scalar keys of `gateway.yaml`: `SPEED_STORE_URL` is `store.url`,
/// `SPEED_LIMITS_MAX_CONNECTIONS` is `limits.maxConnections`.
enum EnvironmentOverrides {
  private static let prefix = "SPEED_"

  /// The tree with the values of the environment in it; each has its variable as its place.
  ///
  /// A variable that no key has is left alone, as others may use the prefix too; one that is nearly a key's is
  /// reported as the slip that it is.
  static func apply(to root: Node, _ schema: MappingSchema, _ diagnostics: Diagnostics) -> Node {
    let paths = variables(of: schema, [])
    var result = root
    for (variable, value) in diagnostics.environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix(prefix) {
      guard let path = paths[variable] else {
        if let known = nearest(to: variable, among: paths.keys.sorted()) {
          diagnostics.warning(
            .unknownVariable, at: Place(variable: variable), "no key of gateway.yaml has this variable",
            hint: "did you mean \(known)?")
        }
        continue
      }
      let place = Place(variable: variable)
      guard !value.isEmpty else {
        diagnostics.error(.emptyValue, at: place, "the variable is set but empty", hint: "give it a value, or unset it")
        continue
      }
      result = result.setting(path[...], to: Node(content: .scalar(value, isPlain: true), place: place))
    }
    return result
  }

  /// The variable of each scalar key, with the path of keys that it stands for.
  static func variables(of schema: MappingSchema, _ parents: [String]) -> [String: [String]] {
    var result: [String: [String]] = [:]
    for row in schema.rows {
      let path = parents + [row.name]
      switch row.shape {
      case .mapping(let inner): result.merge(variables(of: inner, path)) { first, _ in first }
      case .text, .integer, .boolean, .choice: result[prefix + path.map(upperSnake).joined(separator: "_")] = path
      case .list, .named: break
      }
    }
    return result
  }

  /// `maxConnections` as `MAX_CONNECTIONS`.
  private static func upperSnake(_ name: String) -> String {
    name.reduce(into: "") { result, letter in
      if letter.isUppercase { result.append("_") }
      result.append(contentsOf: letter.uppercased())
    }
  }
}

extension Node {
  /// The tree with `value` under a path of keys. What is no mapping on the way stays, to be reported by its reader.
  fileprivate func setting(_ path: ArraySlice<String>, to value: Node) -> Node {
    guard let key = path.first else { return value }
    guard case .mapping(var entries) = content else { return self }
    if let index = entries.firstIndex(where: { $0.key == key }) {
      entries[index].value = entries[index].value.setting(path.dropFirst(), to: value)
    } else {
      let empty = Node(content: .mapping([]), place: value.place)
      let inner = path.count == 1 ? value : empty.setting(path.dropFirst(), to: value)
      entries.append(Entry(key: key, keyPlace: value.place, value: inner))
    }
    return Node(content: .mapping(entries), place: place)
  }
}
