/// A language that the pages and letters are written in. The raw value is its tag (RFC 5646), as the `lang` attribute
/// takes it.
enum Language: String, Sendable, Hashable, Codable, CaseIterable {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"
  case portuguese = "pt"
  case japanese = "ja"

  /// The first of `preferred` that there is, by its primary subtag (RFC 4647 section 3.4); English where there is none.
  ///
  /// - Parameter preferred: `PageRequest.languages`.
  init(preferred: [String]) {
    for tag in preferred {
      let primary = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
      if let language = Language(rawValue: primary) {
        self = language
        return
      }
    }
    self = .english
  }
}
