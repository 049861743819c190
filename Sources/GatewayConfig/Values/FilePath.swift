/// Paths of configuration files and of what they name.
package enum FilePath {
  /// `path` as the process can open it, where it is written in the file `file`.
  static func resolve(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = lastSlash(in: file) else { return path }
    return file[...slash] + path
  }

  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// `path` without needless `./` and slashes, so that one file has one spelling. Links and `..` stay as they are.
  package static func normalized(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/" + parts : parts
  }

  /// The order of paths and names: by their bytes.
  package static func precedes(_ a: String, _ b: String) -> Bool {
    let (a, b) = (a.utf8Span.span, b.utf8Span.span)
    let count = min(a.count, b.count)
    var index = 0
    while index < count {
      if a[index] != b[index] { return a[index] < b[index] }
      index += 1
    }
    return a.count < b.count
  }

  /// The folder that a path with a slash in it names something of.
  package static func folder(of path: String) -> String {
    lastSlash(in: path).map { String(path[..<$0]) } ?? "."
  }

  package static func lastComponent(_ path: String) -> Substring {
    lastSlash(in: path).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }

  /// By bytes, as the system finds it: a mark that combines with a slash does not hide it.
  private static func lastSlash(in path: String) -> String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }

  /// Whether a file of this name is read as a configuration file.
  package static func isYAML(_ name: some StringProtocol) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }
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
