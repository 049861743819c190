/// Collects the problems of one file while it is read, so that all are reported at once.
final class Diagnostics {
  let file: String
  /// Variables that secrets may come from.
  let environment: [String: String]
  private(set) var problems: [Problem] = []
  private var secretPlaces: Set<Place> = []

  init(file: String, environment: [String: String] = [:]) {
    self.file = file
    self.environment = environment
  }

  var hasErrors: Bool { problems.contains { $0.severity == .error } }

  func error(_ code: ProblemCode, at place: Place, _ message: String, hint: String? = nil) {
    // A secret in the wrong place is told once, as what it is; other complaints about the same text would only
    // distract from it (and might quote it).
    guard !secretPlaces.contains(place) else { return }
    if code == .plainSecret { secretPlaces.insert(place) }
    problems.append(Problem(file: file, place: place, code: code, message: message, hint: hint))
  }

  func warning(_ code: ProblemCode, at place: Place, _ message: String, hint: String? = nil) {
    problems.append(
      Problem(file: file, place: place, severity: .warning, code: code, message: message, hint: hint))
  }

  /// The values are wrong in a way that has no code of its own.
  func invalid(_ place: Place, _ message: String, hint: String? = nil) {
    error(.invalidValue, at: place, message, hint: hint)
  }

  /// A path as the process can open it: one of a file is relative to that file's folder, one of a variable to the
  /// working folder.
  func resolved(_ path: String, at place: Place) -> String {
    place.variable == nil ? FilePath.resolve(path, besides: file) : path
  }
}
