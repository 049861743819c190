import ProviderKit

extension AppleClaims {
  /// An email address and what Apple says about it.
  struct Address {
    let email: String
    let isVerified: Bool
    let isPrivate: Bool
  }

  /// The domain of the addresses by which Apple hides the user's own.
  private static let relaySuffix = "@privaterelay.appleid.com"

  /// The token's address; nil where it has none, or a text that can be none. Managed accounts have none, and
  /// sign in all the same.
  var address: Address? {
    guard let email = VerifiedIdentity.emailAddress(email) else { return nil }
    return Address(
      email: email, isVerified: emailVerified,
      isPrivate: isPrivateEmail || email.lowercased().hasSuffix(Self.relaySuffix))
  }
}
