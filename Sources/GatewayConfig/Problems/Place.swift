/// Where a value stands: a line and a column of a file, both counted from 1 (columns in characters),
/// or an environment variable.
package struct Place: Sendable, Hashable {
  package let line: Int32
  package let column: Int32
  private let source: Variable?

  /// The environment variable that the value came from; lines do not count then.
  package var variable: String? { source?.name }

  /// Boxed, as every node of every file has a place and next to none has this.
  private final class Variable: Sendable, Hashable {
    let name: String

    init(_ name: String) { self.name = name }

    static func == (a: Variable, b: Variable) -> Bool { a.name == b.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  package init(line: Int, column: Int) {
    self.line = Int32(clamping: line)
    self.column = Int32(clamping: column)
    source = nil
  }

  package init(variable: String) {
    line = 0
    column = 0
    source = Variable(variable)
  }

  /// The first character of a file: for what is wrong with the file as a whole.
  package static let start = Place(line: 1, column: 1)
}

/// A value together with where it was written, for rules that compare values with one another.
struct Placed<Value: Sendable>: Sendable {
  let value: Value
  let place: Place
}
