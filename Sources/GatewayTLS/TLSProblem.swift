/// What is wrong with a certificate, a key or a file of authorities: for whoever configures them.
package struct TLSProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file; empty where the problem is of no file.
  package let file: String
  /// What is wrong with it.
  package let reason: String

  package var description: String { file.isEmpty ? reason : "\(file): \(reason)" }
}
