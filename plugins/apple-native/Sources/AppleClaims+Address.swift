import ProviderKit

extension AppleClaims {
  /// An email address and what Apple says about it.
  struct Address {
    let email: String
    let isVerified: Bool
    let isPrivate: Bool
  }

  /// Bytes that an address may have (RFC 5321 section 4.5.3.1: 64, `@` and 255).
  private static let emailBytes = 320
  /// The domain of the addresses by which Apple hides the user's own.
  private static let relaySuffix = "@privaterelay.appleid.com"

  /// The token's address; nil where it has none, or a text that can be none. Managed accounts have none, and
  /// sign in all the same.
  var address: Address? {
    guard let email, email.utf8.count <= Self.emailBytes, !ByteText.hasControls(email),
      let at = email.lastIndex(of: "@"), at != email.startIndex, email.index(after: at) != email.endIndex
    else { return nil }
    return Address(
      email: email, isVerified: emailVerified,
      isPrivate: isPrivateEmail || email.lowercased().hasSuffix(Self.relaySuffix))
  }
}
