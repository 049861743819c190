/// A value that a statement takes or a row holds. There are no floating-point values: amounts are whole units.
package enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  package static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

  /// The text, or NULL for nil.
  package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

  /// The number, or NULL for nil.
  package static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }

  var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .text: "text"
    case .blob: "a blob"
    }
  }
}
