extension Diagnostics {
  /// The text of a single value that is there; reports a list, a mapping or nothing.
  func scalar(_ node: Node, due: String, hint: String? = nil) -> (text: String, isPlain: Bool)? {
    guard !node.isNull else { return empty(node, hint: hint ?? "write \(due), or remove the key") }
    guard case .scalar(let text, let isPlain) = node.content else { return wrongKind(node, due: due, hint: hint) }
    return (text, isPlain)
  }
}

extension ValueType where Value == String {
  /// Text as written, whatever type YAML would guess; not empty, 1 KiB at most, without control characters.
  static var text: ValueType { text("a text") }

  static func text(_ form: String, pattern: String? = nil) -> ValueType {
    ValueType(shape: .text(form: form, pattern: pattern)) { node, diagnostics in
      guard let (text, _) = diagnostics.scalar(node, due: form) else { return nil }
      guard text.contains(where: { !$0.isWhitespace }) else { return diagnostics.empty(node, hint: "write \(form)") }
      guard text.utf8.count <= 1024, !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
      else {
        diagnostics.invalid(
          node.place, "\(form) has one line and 1,024 bytes at most", hint: "shorten it, and keep it on one line")
        return nil
      }
      return text
    }
  }
}

extension ValueType {
  /// A text of a stricter form.
  ///
  /// - Parameter parse: the value, or throws what is wrong with the text.
  static func text(
    _ form: String, pattern: String? = nil, _ parse: @escaping @Sendable (String) throws(ValueFault) -> Value
  ) -> ValueType {
    ValueType(shape: .text(form: form, pattern: pattern)) { node, diagnostics in
      guard let (text, _) = diagnostics.scalar(node, due: form) else { return nil }
      guard !text.isEmpty else { return diagnostics.empty(node, hint: "write \(form)") }
      do throws(ValueFault) {
        return try parse(text)
      } catch {
        diagnostics.error(error.code, at: node.place, error.message, hint: error.hint)
        return nil
      }
    }
  }
}

/// Why a text is not of the form that is due.
struct ValueFault: Error {
  var code = ProblemCode.invalidValue
  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil, code: ProblemCode = .invalidValue) {
    self.message = message
    self.hint = hint
    self.code = code
  }
}

extension ValueType where Value == Bool {
  /// `true` or `false`, bare: no other spelling that YAML 1.1 takes for a Boolean.
  static var boolean: ValueType {
    ValueType(shape: .boolean) { node, diagnostics in
      guard let (text, isPlain) = diagnostics.scalar(node, due: "true or false") else { return nil }
      if isPlain && text == "true" { return true }
      if isPlain && text == "false" { return false }
      let hint =
        !isPlain && (text == "true" || text == "false") ? "write true or false, without quotes" : "write true or false"
      diagnostics.invalid(node.place, "\(Quoted(text)) is not true or false", hint: hint)
      return nil
    }
  }
}

extension ValueType where Value: RawRepresentable & CaseIterable, Value.RawValue == String, Value.AllCases: Sendable {
  /// One of the words of an enumeration.
  ///
  /// - Parameter later: words that are read but do nothing yet.
  static func choice(later: Set<String> = []) -> ValueType {
    let words = Value.allCases.map(\.rawValue)
    let due = words.formatted
    return ValueType(shape: .choice(words)) { node, diagnostics in
      guard let (text, _) = diagnostics.scalar(node, due: due) else { return nil }
      guard let value = Value(rawValue: text) else {
        let hint = nearest(to: text, among: words).map { "did you mean `\($0)`?" } ?? "write \(due)"
        diagnostics.invalid(node.place, "\(Quoted(text)) is not one of \(words.joined(separator: ", "))", hint: hint)
        return nil
      }
      if later.contains(text) {
        diagnostics.warning(
          .notYetActive, at: node.place, "\(Quoted(text)) is read but does nothing yet",
          hint: "it may stay: a later version acts on it")
      }
      return value
    }
  }
}

extension [String] {
  /// `a, b or c`.
  fileprivate var formatted: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
