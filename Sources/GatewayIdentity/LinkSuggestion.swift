import GatewayStore

/// Whether an app may offer to link an account of its own with a regular one.
enum LinkSuggestion {
  /// All must hold: the account is an app's own and not linked, its provider verified the address, which is no relay, and
  /// a regular account has verified the same one.
  static func applies(
    to account: Account, backedBy backing: Account?, on connection: any Connection
  ) throws(StoreError) -> Bool {
    guard account.isLocal, backing == nil, account.emailVerified, !account.isPrivateEmail, let email = account.email
    else { return false }
    let sql = "SELECT 1 FROM users WHERE verified_email = ? AND app IS NULL"
    return try connection.first(sql, [.text(EmailAddress.key(email))]) != nil
  }
}
