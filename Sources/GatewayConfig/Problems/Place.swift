/// Where a value stands: a line and a column of a file, both counted from 1 (columns in characters),
/// or an environment variable.
package struct Place: Sendable, Hashable {
  package let line: Int32
  package let column: Int32
  /// The environment variable that the value came from; lines do not count then.
  package let variable: String?

  package init(line: Int, column: Int) {
    self.line = Int32(clamping: line)
    self.column = Int32(clamping: column)
    variable = nil
  }

  package init(variable: String) {
    line = 0
    column = 0
    self.variable = variable
  }

  /// The first character of a file: for what is wrong with the file as a whole.
  package static let start = Place(line: 1, column: 1)
}

/// A value together with where it was written, for rules that compare values with one another.
struct Placed<Value: Sendable>: Sendable {
  let value: Value
  let place: Place
}
