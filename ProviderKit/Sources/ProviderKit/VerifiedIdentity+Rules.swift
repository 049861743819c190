// What counts as a subject and as an address in the tokens of all who vouch for people.

extension VerifiedIdentity {
  /// Bytes that a subject may have (OpenID Connect Core 1.0 section 2).
  private static let subjectBytes = 255
  /// Bytes that an address may have (RFC 5321 section 4.5.3.1: 64, `@` and 255).
  private static let addressBytes = 320

  /// Whether a text can be a subject: not empty, not too long, and without control characters.
  public static func isSubject(_ text: String) -> Bool {
    (1...subjectBytes).contains(text.utf8.count) && !ByteText.hasControls(text)
  }

  /// The email address that somebody vouches for; nil where there is none, or a text that can be none: who has no
  /// address signs in all the same.
  public static func emailAddress(_ text: String?) -> String? {
    guard let text, text.utf8.count <= addressBytes, !ByteText.hasControls(text), let at = text.lastIndex(of: "@"),
      at != text.startIndex, text.index(after: at) != text.endIndex
    else { return nil }
    return text
  }
}
