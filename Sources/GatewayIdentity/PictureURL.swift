/// URLs of pictures as identity providers state them (`picture` of OpenID Connect Core section 5.1).
enum PictureURL {
  /// Bytes of UTF-8.
  static let bytes = 2000

  /// The URL, or nil where it is absent, not of `https`, too long or holds blanks or control characters.
  static func accepted(_ text: String?) -> String? {
    guard let text, text.utf8.count <= bytes, text.lowercased().hasPrefix("https://"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    return text
  }
}
