import GatewayBase
import GatewayStore

/// The statements that find, make and update the regular account of an identity. They may run several times; only those of
/// the committed run count.
struct SharedAccount: Sendable {
  /// The app of identities that belong to none.
  static let noApp: Int64 = 0
  /// Attempts to find or make the account, against others who do the same.
  private static let attempts = 3

  let identity: SharedIdentity
  let now: UnixTime

  /// The account, as the identity has it now. Its row is locked until the transaction ends, so that nobody links it or
  /// signs it in meanwhile.
  func keep(on connection: any Connection) throws(StoreError) -> Account {
    for _ in 0..<Self.attempts {
      do throws(StoreError) {
        guard let user = try Self.find(issuer: identity.issuer, subject: identity.subject, on: connection) else {
          return try make(on: connection)
        }
        guard let account = try Self.lock(user, on: connection) else { continue }
        return try update(account, on: connection)
      } catch .uniqueViolation {
        // Another first sign-in was faster, and its account is there to be read.
      }
    }
    throw .conflict
  }

  /// The id of the account of an identity.
  static func find(issuer: String, subject: String, on connection: any Connection) throws(StoreError) -> String? {
    try connection.first(
      "SELECT user_id FROM identities WHERE app = ? AND team = '' AND issuer = ? AND subject = ?",
      [.integer(noApp), .text(issuer), .text(subject)]
    )?.text(0)
  }

  /// A regular account, locked until the transaction ends.
  static func lock(_ user: String, on connection: any Connection) throws(StoreError) -> Account? {
    let row = try connection.first(
      "SELECT \(Account.columns) FROM users WHERE id = ? AND app IS NULL\(connection.dialect.forUpdate)", [.text(user)])
    guard let row else { return nil }
    return try Account(row: row)
  }

  /// Refuses what began before all sessions of the account were ended.
  ///
  /// - Throws: `SignInFailure.ended`, `StoreError`.
  static func requireSessions(of user: String, since time: UnixTime?, on connection: any Connection) throws {
    guard let time else { return }
    let row = try connection.first("SELECT sessions_ended_at FROM users WHERE id = ?", [.text(user)])
    if let row, try row.integer(0) >= time.milliseconds { throw SignInFailure.ended }
  }

  private func make(on connection: any Connection) throws(StoreError) -> Account {
    var generator = SystemRandomNumberGenerator()
    let account = Account(
      id: Hex.encode(generator.bytes(16)), app: nil, name: identity.name, email: identity.email,
      emailVerified: identity.email != nil, isPrivateEmail: false, photo: identity.photo)
    let time = SQLValue.integer(now.milliseconds)
    // The identity first: its key decides, and the loser has no user to take back.
    try connection.run(
      """
      INSERT INTO identities (app, team, issuer, subject, user_id, created_at, signed_in_at)
      VALUES (?, '', ?, ?, ?, ?, ?)
      """,
      [.integer(Self.noApp), .text(identity.issuer), .text(identity.subject), .text(account.id), time, time])
    try connection.run(
      """
      INSERT INTO users (id, app, name, email, email_verified, is_private_email, photo, created_at)
      VALUES (?, NULL, ?, ?, ?, 0, ?, ?)
      """,
      [
        .text(account.id), .optional(account.name), .optional(account.email), .flag(account.emailVerified),
        .optional(account.photo), time,
      ])
    try claimAddress(for: account.id, on: connection)
    return account
  }

  private func update(_ account: Account, on connection: any Connection) throws(StoreError) -> Account {
    let isSame =
      (account.name, account.email, account.emailVerified, account.photo)
      == (identity.name, identity.email, identity.email != nil, identity.photo)
    if isSame { return account }
    var account = account
    account.name = identity.name
    account.email = identity.email
    account.emailVerified = identity.email != nil
    account.photo = identity.photo
    try connection.run(
      "UPDATE users SET name = ?, email = ?, email_verified = ?, photo = ?, verified_email = NULL WHERE id = ?",
      [
        .optional(account.name), .optional(account.email), .flag(account.emailVerified), .optional(account.photo),
        .text(account.id),
      ])
    try claimAddress(for: account.id, on: connection)
    return account
  }

  /// An address is one regular account's alone: who verified it last has it, and another that had it is no longer
  /// suggested for it.
  private func claimAddress(for user: String, on connection: any Connection) throws(StoreError) {
    guard let email = identity.email else { return }
    let key = SQLValue.text(EmailAddress.key(email))
    try connection.run(
      "UPDATE users SET verified_email = NULL, email_verified = 0 WHERE verified_email = ? AND id <> ?",
      [key, .text(user)])
    try connection.run("UPDATE users SET verified_email = ? WHERE id = ?", [key, .text(user)])
  }
}
