/// The name that an account shows, as its owner typed it: never markup, always escaped where it is shown.
enum DisplayName {
  /// Grapheme clusters, what readers call characters.
  static let characters = 200
  /// Bytes of UTF-8, as one cluster may have any length.
  static let bytes = 1024

  /// The name without control characters, trimmed, cut between characters; nil where nothing is left.
  static func cleaned(_ text: String) -> String? {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isControl(scalar) { scalars.append(scalar) }
    var name = ""
    for character in trimmed(String(scalars)[...]).prefix(characters) {
      guard name.utf8.count + character.utf8.count <= bytes else { break }
      name.append(character)
    }
    // The cut may have left a blank at the end.
    let result = trimmed(name[...])
    return result.isEmpty ? nil : String(result)
  }

  /// C0, C1 and DEL, and the separators that break lines. Joiners and variation selectors, of which emoji are made, stay.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
