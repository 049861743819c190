/// A command line that can't be understood: exit code 2 and one line on standard error.
struct UsageError: Error, Sendable {
  static let exitCode: Int32 = 2

  /// One clause. It quotes words of the command line only where they can't be a token that was put in the wrong place.
  let message: String

  init(_ message: String) { self.message = message }

  /// The line, with where to read more.
  ///
  /// - Parameter path: the words of the command that was reached.
  func line(path: [String]) -> String {
    "\(path.joined(separator: " ")): \(message); see \(path.joined(separator: " ")) --help"
  }
}

/// A word of the command line as a message shows it: in quotes when it has the form of a name, else not at all.
func shown(_ word: String) -> String {
  let isName = word.utf8.count <= 24 && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
  return isName ? " \"\(word)\"" : ""
}
