/// Addresses as identity providers state them.
enum EmailAddress {
  /// Bytes of UTF-8 (RFC 5321 section 4.5.3.1 allows 64 before the `@` and 255 after it).
  static let bytes = 320

  /// The address, or nil where it is absent, empty, too long or holds blanks or control characters: an account without an
  /// address is better than a refused sign-in.
  static func accepted(_ text: String?) -> String? {
    guard let text, (1...bytes).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      return nil
    }
    return text
  }

  /// The form in which two addresses are the same. For suggestions alone: nobody signs in by an address.
  static func key(_ address: String) -> String { address.lowercased() }
}
