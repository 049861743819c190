import GatewayBase
import GatewayStore
import GatewayStoreTesting

@testable import GatewayIdentity

/// Two people's accounts of app 1 and what a link needs, on a database of its own.
struct LinkScene {
  let fixture: AccountFixture
  let accounts: Accounts

  init(_ fixture: AccountFixture) {
    self.fixture = fixture
    accounts = fixture.accounts()
  }

  /// The regular account of a person, as the hosted sign-in proves it.
  func speed(
    _ subject: String = "p1", app: Int64 = 1, name: String? = "Ada Speed", email: String? = "ada@speed.example",
    photo: String? = "https://speed.example/ada.png"
  ) -> VerifiedSignIn {
    identity(
      app: app, issuer: "speed", subject: subject, email: email, fullName: name, isShared: true, photo: photo)
  }

  /// Signs a regular account in to an app, so that it has data there.
  func register(_ subject: String = "p1", app: Int64 = 1) async throws -> String {
    try await accounts.signIn(speed(subject, app: app)).account.id
  }

  /// What the flow with `link=1` gives.
  func speedToken(_ subject: String = "p1", app: Int64 = 1) async throws -> AccessToken {
    token(of: try await accounts.linkingProfile(of: speed(subject, app: app)).account.id, app: app)
  }

  func token(of user: String, app: Int64 = 1, for purpose: AccessToken.Purpose = .linking) -> AccessToken {
    var generator = SystemRandomNumberGenerator()
    let now = fixture.clock.now
    return AccessToken(
      issuer: "i", userID: user, appID: app, issuedAt: now, expiresAt: now.adding(seconds: 900),
      id: Hex.encode(generator.bytes(16)), role: "app-user", isLocal: false, uuid: "u", keyID: "k", purpose: purpose)
  }

  @discardableResult
  func link(
    _ user: String, _ token: AccessToken, keep: LinkRequest.Choice? = nil, app: Int64 = 1
  ) async throws -> Profile {
    try await accounts.link(LinkRequest(user: user, app: app, speedToken: token, keep: keep, origin: .none))
  }

  func credit(_ amount: Int64, _ user: String, key: String, app: Int64 = 1) async throws {
    _ = try await accounts.adjust(
      BalanceAdjustment(amount: amount, reason: .purchase, key: key, reference: nil), user: user, app: app,
      from: .none)
  }

  /// Codes of the hosted sign-in that stand for answers not yet fetched, for sessions and for links.
  func addCodes(of user: String, app: Int64 = 1) async throws {
    for isLink in [false, true] {
      var generator = SystemRandomNumberGenerator()
      try await fixture.run(
        """
        INSERT INTO sign_in_codes (code, app, user_id, provider, is_new, is_link, challenge, expires_at)
        VALUES (?, ?, ?, 'p', 0, ?, ?, ?)
        """,
        [
          .blob(generator.bytes(32)), .integer(app), .text(user), .flag(isLink), .blob(generator.bytes(32)),
          .integer(fixture.clock.now.adding(seconds: 60).milliseconds),
        ])
    }
  }

  func codes(of user: String) async throws -> Int64? {
    try await fixture.count("SELECT COUNT(*) FROM sign_in_codes WHERE user_id = '\(user)'")
  }

  /// All rows that say something of an app and its users, to compare before and after.
  func rows() async throws -> [String] {
    try await fixture.store.read { connection in
      var rows: [String] = []
      for sql in [
        "SELECT id || ':' || COALESCE(app, -1) || ':' || link_changes FROM users ORDER BY id",
        "SELECT app || ':' || issuer || ':' || user_id FROM identities ORDER BY app, issuer, subject",
        "SELECT app || ':' || user_id FROM memberships ORDER BY app, user_id",
        "SELECT app || ':' || local_user || ':' || speed_user FROM links ORDER BY app, local_user",
        "SELECT app || ':' || user_id || ':' || amount FROM balances ORDER BY app, user_id",
      ] {
        // In MariaDB `||` is not what it is in the standard.
        let statement =
          connection.dialect == .sqlite
          ? sql
          : sql.replacing("SELECT ", with: "SELECT CONCAT(").replacing(" || ", with: ", ")
            .replacing(" FROM", with: ") FROM")
        rows += try connection.query(statement, []).map { try $0.text(0) }
      }
      return rows
    }
  }
}

func withScene(_ engine: StoreEngine, _ body: (LinkScene) async throws -> Void) async throws {
  try await withAccounts(engine) { try await body(LinkScene($0)) }
}
