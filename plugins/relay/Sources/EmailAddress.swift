import ProviderKit

/// An address that somebody vouches for.
struct EmailAddress: Equatable {
  /// Bytes that it may have (RFC 5321 section 4.5.3.1: 64, `@` and 255).
  private static let bytes = 320

  let text: String

  /// Nil where there is none, or a text that can be none: who has no address signs in all the same.
  init?(_ text: String?) {
    guard let text, text.utf8.count <= Self.bytes, !ByteText.hasControls(text), let at = text.lastIndex(of: "@"),
      at != text.startIndex, text.index(after: at) != text.endIndex
    else { return nil }
    self.text = text
  }
}
