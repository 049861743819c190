/// The name by which a person wants to be known.
enum PersonName {
  private static let characters = 200
  private static let bytes = 1024

  /// The name without blanks around it, or what is wrong with it.
  static func judge(_ input: String) -> Result<String, Rejection> {
    let name = String(input.trimmed)
    guard !name.isEmpty else { return .failure(Rejection(problem: .nameMissing)) }
    guard name.count <= characters, name.utf8.count <= bytes else { return .failure(Rejection(problem: .nameTooLong)) }
    let isClean = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return isClean ? .success(name) : .failure(Rejection(problem: .nameTooLong))
  }
}

/// Why something that was filled in is not taken.
struct Rejection: Error, Sendable, Equatable {
  let problem: Problem
}

extension String {
  /// As many of its characters, from the first one on, as have so many bytes at most.
  func cut(toBytes limit: Int) -> String {
    var text = self[...]
    while text.utf8.count > limit { text.removeLast() }
    return String(text)
  }
}
