import GatewayBase

/// Where a secret comes from; the secret itself is never in a configuration file.
package enum SecretSource: Sendable, Hashable {
  case environment(String)
  /// The path as the process can open it.
  case file(String)

  /// The secret as it is now, or nil where it is absent or empty. Line ends behind a file's text do not count.
  package func resolve(environment: [String: String]) -> Secret? {
    switch self {
    case .environment(let name):
      guard let value = environment[name], !value.isEmpty else { return nil }
      return Secret(value.utf8)
    case .file(let path):
      guard var bytes = try? FileSystem.read(path, limit: Limits.secretFile), bytes.count <= Limits.secretFile
      else { return nil }
      while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
      return bytes.isEmpty ? nil : Secret(bytes)
    }
  }

  /// Warns where the secret is not there.
  func check(at place: Place, _ diagnostics: Diagnostics) {
    guard resolve(environment: diagnostics.environment) == nil else { return }
    switch self {
    case .environment(let name):
      diagnostics.warning(
        .secretMissing, at: place, "the environment variable \(Quoted(name)) is not set",
        hint: "set it; until then what needs it answers 503")
    case .file(let path):
      diagnostics.warning(
        .secretMissing, at: place,
        "the file \(Quoted(path)) is absent, empty, unreadable or over \(Limits.secretFile / 1024) KiB",
        hint: "a path is relative to the file that holds it; until the secret is there what needs it answers 503")
    }
  }
}

extension ValueType where Value == SecretSource {
  /// The name of an environment variable that holds a secret. What is not a name is not quoted: it may be the secret.
  static var secretVariable: ValueType {
    let name = ValueType<String>.text("the name of an environment variable", pattern: "^[A-Za-z_][A-Za-z0-9_]*$") {
      text throws(ValueFault) in
      guard let first = text.utf8.first, first.isLetter || first == 0x5F, text.utf8.count <= 128,
        text.utf8.allSatisfy({ $0.isAlphanumeric || $0 == 0x5F })
      else {
        throw ValueFault(
          "this is not the name of an environment variable",
          hint: "write a name such as NOTES_KEY; a path goes under file")
      }
      return text
    }
    return ValueType(shape: name.shape) { node, diagnostics in
      guard let name = name.read(node, diagnostics) else { return nil }
      let source = SecretSource.environment(name)
      source.check(at: node.place, diagnostics)
      return source
    }
  }

  /// The path of a file that holds a secret.
  static var secretFile: ValueType {
    ValueType(shape: ValueType<String>.path.shape) { node, diagnostics in
      guard let path = ValueType<String>.path.read(node, diagnostics) else { return nil }
      let source = SecretSource.file(path)
      source.check(at: node.place, diagnostics)
      return source
    }
  }
}

extension MappingReader {
  /// The secret of a mapping that names it by one of two keys.
  ///
  /// - Parameter isRequired: whether one of both must be there.
  func secret(
    _ variable: Key<SecretSource>, _ file: Key<SecretSource>, isRequired: Bool
  ) -> SecretSource? {
    let names = "\(Quoted(variable.row.name)) or \(Quoted(file.row.name))"
    switch (has(variable.row), has(file.row)) {
    case (true, true):
      diagnostics.invalid(place(of: file), "the secret is named twice", hint: "keep one of \(names)")
      return self[variable]
    case (false, false):
      if isRequired { diagnostics.error(.missingKey, at: place, "the secret's place is missing", hint: "add \(names)") }
      return nil
    case (true, false): return self[variable]
    case (false, true): return self[file]
    }
  }
}
