/// One row of a result; columns count from 0 in the order of the SELECT.
///
/// A getter throws `StoreError.sql` where the column does not exist or holds another kind of value: that is a bug
/// in the statement, never a matter of input.
package struct Row: Sendable, Equatable {
  package let values: [SQLValue]

  package func text(_ column: Int) throws(StoreError) -> String {
    guard case .text(let text) = try value(column) else { throw mismatch(column, "text") }
    return text
  }

  package func integer(_ column: Int) throws(StoreError) -> Int64 {
    guard case .integer(let number) = try value(column) else { throw mismatch(column, "an integer") }
    return number
  }

  package func blob(_ column: Int) throws(StoreError) -> [UInt8] {
    guard case .blob(let bytes) = try value(column) else { throw mismatch(column, "a blob") }
    return bytes
  }

  /// False for 0, true for any other integer.
  package func flag(_ column: Int) throws(StoreError) -> Bool { try integer(column) != 0 }

  package func isNull(_ column: Int) throws(StoreError) -> Bool { try value(column) == .null }

  package func optionalText(_ column: Int) throws(StoreError) -> String? { try isNull(column) ? nil : text(column) }

  package func optionalInteger(_ column: Int) throws(StoreError) -> Int64? {
    try isNull(column) ? nil : integer(column)
  }

  private func value(_ column: Int) throws(StoreError) -> SQLValue {
    guard values.indices.contains(column) else { throw .sql("a row of \(values.count) has no column \(column)") }
    return values[column]
  }

  private func mismatch(_ column: Int, _ wanted: String) -> StoreError {
    .sql("column \(column) holds \(values[column].kind), not \(wanted)")
  }
}
