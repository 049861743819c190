/// Paths of configuration files and of what they name.
package enum FilePath {
  /// `path` as the process can open it, where it is written in the file `file`.
  static func resolve(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
  }

  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// `path` without needless `./` and slashes, so that one file has one spelling. Links and `..` stay as they are.
  static func normalized(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/" + parts : parts
  }

  static func lastComponent(_ path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// Whether a file of this name is read as a configuration file.
  static func isYAML(_ name: some StringProtocol) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }
}

extension ValueType where Value == String {
  /// A path, made relative to the file that holds it.
  static var path: ValueType {
    let path = ValueType.text("a path", pattern: TextPattern.path)
    return ValueType(shape: path.shape) { node, diagnostics in
      guard let text = path.read(node, diagnostics) else { return nil }
      guard !text.holds("://"), !text.hasPrefix("file:") else {
        diagnostics.invalid(node.place, "a URL is not a path", hint: "write the path alone")
        return nil
      }
      return diagnostics.resolved(text, at: node.place)
    }
  }
}
