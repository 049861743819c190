extension RefusalGuide {
  /// Codes of links between accounts and of balances.
  static let linking = [
    RefusalGuide(
      "not_linkable", "400", "The bearer's account is a regular one, or is linked already.",
      example: "`POST /api/platform/auth/link` twice", mend: "Offer it only where `isLocalUser` is true."),
    RefusalGuide(
      "invalid_speed_token", "400",
      "`speedToken` has expired, was used, has been ended, is another app's, or is of an app-local account.",
      example: "the same `speedToken` for a second link", mend: "Run the flow with `link=1` again."),
    RefusalGuide(
      "not_linked", "400", "There is no link to take apart.",
      example: "`DELETE /api/platform/auth/me/speed-link` twice", mend: "Nothing: it is as it was asked for."),
    RefusalGuide(
      "unknown_user", "404", "The app has no user of this id or `appUserUUID`.",
      example: "the balance of a deleted account", mend: "Forget the id."),
    RefusalGuide(
      "app_data_conflict", "409", "Both accounts have data in the app; nothing has changed.",
      example: "a link with a Speed account that has signed in to the app",
      mend: "Ask the user, and send `keep`: `speed` or `local`."),
    RefusalGuide(
      "speed_account_in_use", "409", "The Speed account backs another account of the app, or has taken one in.",
      example: "two Apple accounts and one Speed account", mend: "Unlink the other one, or use another Speed account."),
    RefusalGuide(
      "usage_source_not_local", "409", "The app's users have no app-local balance that is counted.",
      example: "an adjustment without `usage: { source: local }`", mend: "Set `usage.source` to `local`."),
    RefusalGuide(
      "idempotency_conflict", "409", "The `idempotencyKey` was used for another adjustment.",
      example: "the same key with another amount", mend: "Use one key for one purchase, gift or correction."),
    RefusalGuide(
      "insufficient_balance", "409", "The balance would go below zero; nothing has changed.",
      example: "taking back more than is left", mend: "Take less."),
  ]
}
