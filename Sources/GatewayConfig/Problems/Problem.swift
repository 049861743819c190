/// One fault of a configuration file or variable, told so that the reader can mend it.
package struct Problem: Sendable, Hashable {
  package enum Severity: String, Sendable {
    /// The file is not used.
    case error
    /// The file is used; something is likely not as meant.
    case warning
    /// Two files are used, but one thing that both claim works for neither.
    case conflict
    /// Nothing is wrong with the file; the world around it may not be as it needs.
    case hint
  }

  /// The file as it was named, or `environment:NAME`.
  package let file: String
  /// Counted from 1; 0 for an environment variable.
  package let line: Int
  /// Counted from 1, in characters; 0 for an environment variable.
  package let column: Int
  package let severity: Severity
  package let code: ProblemCode
  /// What is wrong. It holds no secret and no email address.
  package let message: String
  /// What would be right.
  package let hint: String?

  package init(
    file: String, place: Place, severity: Severity = .error, code: ProblemCode, message: String, hint: String? = nil
  ) {
    self.file = place.variable.map { "environment:\($0)" } ?? file
    self.line = Int(place.line)
    self.column = Int(place.column)
    self.severity = severity
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Whether `check` fails because of it.
  package var fails: Bool { severity == .error || severity == .conflict }
}

extension Problem: Comparable {
  /// By file, then by place: the order of a report.
  package static func < (a: Problem, b: Problem) -> Bool {
    (a.file, a.line, a.column, a.code.rawValue) < (b.file, b.line, b.column, b.code.rawValue)
  }
}
