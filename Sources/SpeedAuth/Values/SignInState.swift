/// Where a user stands who has just signed in, as far as linking with a Speed account goes.
///
/// A matching address is a suggestion and no proof: nothing is ever linked without the user.
public enum SignInState: Sendable, Hashable, CaseIterable {
  /// The account was made by this sign-in, and a Speed account has the same verified address.
  case newWithMatch
  /// The account is older and still the app's own, and a Speed account has the same verified address.
  case knownWithMatch
  /// The account was made by this sign-in; no Speed account is known for it. The user may have hidden the address.
  case newWithoutMatch
  /// The account is older and still the app's own; no Speed account is known for it.
  case knownWithoutMatch
  /// A Speed account is behind it already: a linked one, whichever data was kept, or the Speed account itself.
  case linked

  /// - Parameters:
  ///   - isNewAccount: whether the sign-in made the account.
  ///   - isLocalUser: whether the account is the app's own and not linked.
  ///   - hasLinkSuggestion: whether a Speed account has the same verified address.
  public init(isNewAccount: Bool, isLocalUser: Bool, hasLinkSuggestion: Bool) {
    self =
      switch (isLocalUser, isNewAccount, hasLinkSuggestion) {
      case (false, _, _): .linked
      case (true, true, true): .newWithMatch
      case (true, false, true): .knownWithMatch
      case (true, true, false): .newWithoutMatch
      case (true, false, false): .knownWithoutMatch
      }
  }

  /// What the app does now.
  public var offer: LinkOffer {
    switch self {
    case .newWithMatch: .beforeTheApp
    case .knownWithMatch: .atEverySignIn
    case .newWithoutMatch, .knownWithoutMatch: .inSettings
    case .linked: .none
    }
  }
}

/// Where an app offers its user to link.
public enum LinkOffer: Sendable, Hashable {
  /// Before the app is shown: tell the user that they may have a Speed account already, and offer to sign in to it.
  /// Nothing is stored under the new account, so link with `keep: .speed` and ask nothing.
  case beforeTheApp
  /// Now, and at each sign-in until the user links or declines for good. Both sides may have data: link without `keep`,
  /// and ask which side survives where that is a conflict.
  case atEverySignIn
  /// In the settings alone.
  case inSettings
  /// Nowhere: hide the entry.
  case none
}

/// Which data survives a link, where both accounts have some.
public enum Keep: String, Sendable, Hashable, CaseIterable {
  /// That of the Speed account: the user gets its id and a new token, and the rows of the old id are the app's to
  /// delete.
  case speed
  /// That of the app's own account: id and token stay, and nothing reaches the Speed account's earlier rows again.
  case local
}

/// What a sign-in, or a link, came to.
public struct SignIn: Sendable, Hashable, Redacted {
  /// The session that the client now has.
  public let session: Session
  /// Whether the account is new: nothing of the app was ever stored under it.
  public let isNewAccount: Bool
  /// Where the user stands.
  public let state: SignInState
  /// What to offer now: that of `state`, but `inSettings` for a user who has declined for good.
  public let offer: LinkOffer
  /// The id whose account has become part of this one: delete the rows under it. Only `keep: .speed` brings it.
  public let previousUserID: String?
}
