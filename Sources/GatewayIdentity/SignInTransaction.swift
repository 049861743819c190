import GatewayBase
import GatewayStore

/// The statements of one sign-in. They may run several times; only those of the committed run count.
struct SignInTransaction: Sendable {
  struct Outcome: Sendable {
    let account: Account
    /// The regular account that it is linked with.
    let backing: Account?
    let isNew: Bool
    let suggestsLinking: Bool
  }

  /// Attempts to find or make the account, against one that others delete and make again all the time.
  private static let attempts = 3

  private let identity: VerifiedSignIn
  private let name: String?
  private let email: String?
  private let now: UnixTime
  private let keys: SealingKeys
  private let appUserUUID: Accounts.UUIDMaker

  init(_ identity: VerifiedSignIn, now: UnixTime, keys: SealingKeys, appUserUUID: @escaping Accounts.UUIDMaker) {
    self.identity = identity
    self.now = now
    self.keys = keys
    self.appUserUUID = appUserUUID
    name = identity.fullName.flatMap(DisplayName.cleaned)
    email = EmailAddress.accepted(identity.email)
  }

  /// - Throws: `SignInFailure.replayed`, `SignInFailure.ended`, `StoreError`.
  func run(on connection: any Connection) throws -> Outcome {
    // First, so that a replay finds out without waiting for a lock. The index that burns below decides.
    for key in identity.replayKeys where try ReplayLedger.holds(key, on: connection) { throw SignInFailure.replayed }
    let (account, backing, isNew) = try identity.isShared ? reachShared(on: connection) : reachOwn(on: connection)
    if isNew {
      try AppUserUUIDs.note(
        appUserUUID(identity.app, account.id), of: account.id, app: identity.app, on: connection)
    }
    for key in identity.replayKeys { try ReplayLedger.burn(key, on: connection) }
    try note(account, ofIdentity: (identity.isShared ? backing : nil)?.id ?? account.id, on: connection)
    return Outcome(
      account: account, backing: backing, isNew: isNew,
      suggestsLinking: try LinkSuggestion.applies(to: account, backedBy: backing, on: connection))
  }

  /// The account that a regular one reaches in the app: the app's own that it backs, or itself, which then is of the app.
  private func reachShared(on connection: any Connection) throws -> (Account, Account?, isNew: Bool) {
    let account = try SharedAccount(identity: SharedIdentity(identity), now: now).keep(on: connection)
    try SharedAccount.requireSessions(of: account.id, since: identity.begunAt, on: connection)
    if let local = try AccountLink.local(backedBy: account.id, app: identity.app, on: connection) {
      return (local, account, false)
    }
    return (account, nil, try Membership.signIn(user: account.id, app: identity.app, at: now, on: connection))
  }

  /// The account of an identity that is known in the app alone: the app's own, or the regular one that it became part of.
  private func reachOwn(on connection: any Connection) throws(StoreError) -> (Account, Account?, isNew: Bool) {
    var (account, isNew) = try findOrMake(on: connection)
    guard account.isLocal else {
      _ = try Membership.signIn(user: account.id, app: identity.app, at: now, on: connection)
      return (account, nil, false)
    }
    if isNew { return (account, nil, true) }
    try update(&account, on: connection)
    return (account, try AccountLink.backing(of: account.id, app: identity.app, on: connection), false)
  }

  private func findOrMake(on connection: any Connection) throws(StoreError) -> (Account, isNew: Bool) {
    for _ in 0..<Self.attempts {
      if let account = try find(on: connection) { return (account, false) }
      do throws(StoreError) {
        return (try make(on: connection), true)
      } catch .uniqueViolation {
        // Another first sign-in was faster, and its account is there to be read.
      }
    }
    throw .conflict
  }

  private func find(on connection: any Connection) throws(StoreError) -> Account? {
    let sql = """
      SELECT \(Account.columns) FROM identities JOIN users ON users.id = identities.user_id
      WHERE identities.app = ? AND identities.team = ? AND identities.issuer = ? AND identities.subject = ?
      """
    if let row = try connection.first(sql, identityKey) { return try Account(row: row) }
    guard try moveFromOldTeam(on: connection), let row = try connection.first(sql, identityKey) else { return nil }
    return try Account(row: row)
  }

  /// Gives the identity that is known by the token's transfer id its new subject. Addresses decide nothing: the relay's
  /// are others in the new team.
  ///
  /// - Returns: whether there is one.
  private func moveFromOldTeam(on connection: any Connection) throws(StoreError) -> Bool {
    guard let transferID = identity.transferID else { return false }
    return try connection.run(
      """
      UPDATE identities SET team = ?, subject = ?, transfer_subject = NULL, transfer_until = NULL
      WHERE app = ? AND issuer = ? AND transfer_subject = ? AND transfer_until > ?
      """,
      [
        .text(identity.team ?? ""), .text(identity.subject), .integer(identity.app), .text(identity.issuer),
        .text(transferID), .integer(now.milliseconds),
      ]) == 1
  }

  /// - Throws: `StoreError.uniqueViolation` where the identity has an account; then none was made.
  private func make(on connection: any Connection) throws(StoreError) -> Account {
    var generator = SystemRandomNumberGenerator()
    let account = Account(
      id: Hex.encode(generator.bytes(16)), app: identity.app, name: name, email: email,
      emailVerified: email != nil && identity.emailVerified, isPrivateEmail: email != nil && identity.isPrivateEmail)
    let time = SQLValue.integer(now.milliseconds)
    // The identity first: its key decides, and the loser has no user to take back.
    try connection.run(
      "INSERT INTO identities (app, team, issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      identityKey + [.text(account.id), time])
    try connection.run(
      """
      INSERT INTO users (id, app, name, email, email_verified, is_private_email, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(account.id), .integer(identity.app), .optional(account.name), .optional(account.email),
        .flag(account.emailVerified), .flag(account.isPrivateEmail), time,
      ])
    return account
  }

  /// What the sign-in leaves behind: its time and way with the identity, what is to be done at the provider, a trace.
  ///
  /// - Parameter user: whose the identity is, which is not the account where a regular one backs that.
  private func note(_ account: Account, ofIdentity user: String, on connection: any Connection) throws {
    let client = identity.client.flatMap { $0.unicodeScalars.count <= ProviderGrantRow.clientBytes ? $0 : nil }
    let isThere = try connection.run(
      """
      UPDATE identities SET provider = ?, client = ?, signed_in_at = ?
      WHERE app = ? AND team = ? AND issuer = ? AND subject = ? AND user_id = ?
      """,
      [.text(identity.provider), .optional(client), .integer(now.milliseconds)] + identityKey + [.text(user)])
    // Deleted or linked since it was found: a session would be that of nobody.
    guard isThere == 1 else { throw StoreError.conflict }
    if let followUp = identity.followUp {
      try ProviderJob.insert(
        ProviderJob.Draft(.followUp, provider: identity.provider, secret: followUp), user: account.id,
        app: identity.app, sealedWith: keys, at: now, on: connection)
    }
    try AuditEntry(
      .signIn, app: identity.app, user: account.id, by: .user, from: identity.origin, detail: identity.provider
    ).insert(at: now, on: connection)
  }

  /// A name is kept only where there is none; an address follows the token, where that has one.
  private func update(_ account: inout Account, on connection: any Connection) throws(StoreError) {
    if account.name == nil, let name {
      try connection.run("UPDATE users SET name = ? WHERE id = ?", [.text(name), .text(account.id)])
      account.name = name
    }
    guard let email else { return }
    let isSame =
      (account.email, account.emailVerified, account.isPrivateEmail)
      == (email, identity.emailVerified, identity.isPrivateEmail)
    guard !isSame else { return }
    try connection.run(
      "UPDATE users SET email = ?, email_verified = ?, is_private_email = ? WHERE id = ?",
      [.text(email), .flag(identity.emailVerified), .flag(identity.isPrivateEmail), .text(account.id)])
    account.email = email
    account.emailVerified = identity.emailVerified
    account.isPrivateEmail = identity.isPrivateEmail
  }

  private var identityKey: [SQLValue] {
    [
      .integer(identity.isShared ? SharedAccount.noApp : identity.app),
      .text(identity.isShared ? "" : identity.team ?? ""), .text(identity.issuer), .text(identity.subject),
    ]
  }
}
