import GatewayBase

/// Names that a file gives to things of its own: backends, keys, providers.
enum Identifier {
  static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"

  static func isValid(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isAlphanumeric, text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// Reports a name that is none.
  static func check(_ text: String, at place: Place, _ diagnostics: Diagnostics) -> Bool {
    guard isValid(text) else {
      diagnostics.invalid(
        place, "\(Quoted(text)) is not a name",
        hint: "use letters, digits, '-', '_' and '.', 64 at most, a letter or digit first")
      return false
    }
    return true
  }
}

extension ValueType where Value == String {
  static func identifier(_ form: String) -> ValueType {
    .text(form, pattern: Identifier.pattern) { text throws(ValueFault) in
      guard Identifier.isValid(text) else {
        throw ValueFault(
          "\(Quoted(text)) is not \(form)",
          hint: "use letters, digits, '-', '_' and '.', 64 at most, a letter or digit first")
      }
      return text
    }
  }
}
