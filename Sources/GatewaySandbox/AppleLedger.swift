import GatewayBase

/// What the sandbox's Apple has given out: codes, refresh tokens, and how users moved between teams. It knows no clock:
/// times in Unix seconds come in.
struct AppleLedger: Sendable {
  /// An authorization code.
  struct Code: Sendable {
    let text: String
    let client: String
    let subject: String
    /// Nil for a code of an app.
    let redirectURI: String?
    /// What an id token of its exchange tells besides.
    let claims: [String: JSONValue]
    let issuedAt: Int64

    /// A new code, good for what the token of these claims is.
    init(_ claims: [String: JSONValue], redirectURI: String?) {
      text = "c\(RandomText.nonce()).0.mxyz.\(RandomText.keyID())"
      client = claims["aud"]?.string ?? ""
      subject = claims["sub"]?.string ?? ""
      self.redirectURI = redirectURI
      self.claims = claims.filter { ["email", "email_verified", "is_private_email"].contains($0.key) }
      issuedAt = claims["iat"]?.integer ?? 0
    }
  }

  /// An error answer of RFC 6749 section 5.2.
  enum Refusal: String, Error {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unsupportedGrantType = "unsupported_grant_type"
  }

  /// A refresh token that was given out.
  struct Grant: Sendable {
    let client: String
    let subject: String
    let claims: [String: JSONValue]
    var isRevoked = false
  }

  /// Seconds that a code is good.
  private static let codeLifetime: Int64 = 300
  /// Codes and tokens that are remembered: the oldest go beyond.
  private static let capacity = 100_000

  private var codes = Recollection<Code>(capacity: capacity)
  private var grants = Recollection<Grant>(capacity: capacity)
  private var transfers = Recollection<String>(capacity: capacity)

  mutating func add(_ code: Code) { codes[code.text] = code }

  /// Exchanges a code, which is good once.
  mutating func exchange(
    _ text: String, client: String, redirectURI: String?, now: Int64
  ) throws(Refusal) -> (code: Code, refreshToken: String) {
    guard let code = codes[text] else { throw .invalidGrant }
    guard code.client == client else { throw .invalidGrant }
    guard code.redirectURI == redirectURI else { throw .invalidClient }
    codes[text] = nil
    guard now < code.issuedAt + Self.codeLifetime else { throw .invalidGrant }
    let token = "r\(RandomText.nonce()).0.mxyz.\(RandomText.keyID())"
    grants[token] = Grant(client: client, subject: code.subject, claims: code.claims)
    return (code, token)
  }

  /// The grant of a refresh token that stands.
  func refresh(_ token: String, client: String) throws(Refusal) -> Grant {
    guard let grant = grants[token], grant.client == client, !grant.isRevoked else { throw .invalidGrant }
    return grant
  }

  /// Revokes a token. One that is not there is as good as revoked, as at Apple.
  mutating func revoke(_ token: String) { grants[token]?.isRevoked = true }

  /// The user withdraws what he has granted to an app, as in the settings of a device.
  mutating func withdraw(subject: String) {
    for (token, grant) in grants.all where grant.subject == subject { grants[token]?.isRevoked = true }
  }

  /// The tokens that stand, by subject, and those that were revoked.
  var summary: JSONValue {
    .array(
      grants.all.map { token, grant in
        .object([
          "token": .string(token), "client": .string(grant.client), "sub": .string(grant.subject),
          "revoked": .bool(grant.isRevoked),
        ])
      })
  }

  /// The id under which a user moves to another team: the same for ever for one user and target.
  mutating func transferID(of subject: String, target: String) -> String {
    let id = "\(RandomText.subject().prefix(6)).r\(RandomText.nonce().prefix(32))"
    for (known, value) in transfers.all where value == "\(target)/\(subject)" { return known }
    transfers[id] = "\(target)/\(subject)"
    return id
  }

  /// The user's id in the team that he moved to: that of the old one, with the new team's beginning.
  func movedSubject(_ transferID: String) throws(Refusal) -> String {
    guard let known = transfers[transferID], let slash = known.firstIndex(of: "/") else { throw .invalidRequest }
    return "900000.\(known[known.index(after: slash)...].dropFirst(7))"
  }
}

/// A table that forgets what was added first beyond its capacity.
struct Recollection<Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [String: Value] = [:]
  private var order: [String] = []

  init(capacity: Int) { self.capacity = capacity }

  subscript(key: String) -> Value? {
    get { values[key] }
    set {
      if values[key] == nil, newValue != nil { order.append(key) }
      values[key] = newValue
      if order.count > capacity {
        for old in order.prefix(order.count / 2) { values[old] = nil }
        order.removeFirst(order.count / 2)
      }
    }
  }

  /// In the order in which they were added.
  var all: [(String, Value)] { order.compactMap { key in values[key].map { (key, $0) } } }
}
