/// A sign-in that took place.
package struct SignIn: Sendable, Equatable {
  package let profile: Profile
  /// Whether this sign-in made the account. Of several first ones at once exactly one says so.
  package let isNewAccount: Bool
}
