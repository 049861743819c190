import GatewayBase

/// What a caller wants to stand in an identity token. Without any member it is a good token of a new user.
struct IdentityTokenRequest: Sendable {
  /// The most tokens that one request may ask for.
  static let countLimit: Int64 = 10_000
  /// Seconds from `iat` to `exp`, as in Apple's tokens.
  private static let lifetime: Int64 = 86_400

  enum Nonce: Sendable {
    /// A raw one is made, and its digest stands in the token.
    case random
    /// The digest of this raw one stands in the token.
    case digest(ofRaw: String)
    /// The claim itself. What it was made of is unknown here, unless the caller says so.
    case verbatim(String, raw: String?)
  }

  let audience: String
  /// Nil: a random one for each token.
  let subject: String?
  let nonce: Nonce
  let issuedAt: Int64
  let expiresAt: Int64
  /// `email`, `email_verified` and `is_private_email`, those given.
  let emailClaims: [String: JSONValue]
  /// Claims of any type, which replace the others or come besides.
  let claims: [String: JSONValue]
  /// Claims left out, whoever gave them.
  let omitted: [String]
  let key: KeyChoice
  let kid: String?
  let algorithm: String
  /// Header members of any type, which replace the others or come besides.
  let header: [String: JSONValue]
  /// Nil: one token, answered by itself.
  let count: Int?
  /// Whether an authorization code goes with it, whose digest the token holds.
  let wantsCode: Bool
  /// That the code is for, as on the web; nil for an app's.
  let redirectURI: String?

  private static let names = [
    "aud", "sub", "nonce", "rawNonce", "iat", "iatOffset", "exp", "expOffset", "email", "email_verified",
    "is_private_email", "claims", "omit", "key", "kid", "alg", "header", "count", "code",
    "redirectURI",
  ]

  /// What the members are, for the command's help.
  static let memberHelp = """
      aud, sub, email, email_verified, is_private_email   claims of Apple's types
      rawNonce | nonce       what the claim is the digest of | the claim itself
      iat | iatOffset        Unix seconds | seconds from now; likewise exp | expOffset
      claims, header         objects whose members replace the usual ones or come besides
      omit                   names of claims to leave out
      key                    \(KeyChoice.allCases.map(\.rawValue).joined(separator: ", "))
      code                   true: an authorization code goes with it, bound to the token by c_hash
      redirectURI            that the code is for, as on the web
      kid, alg               what the header says, whatever signs
      count                  1 to \(countLimit): {"tokens": [...]}, each with a user and a nonce of its own
    """

  /// - Throws: 400 `invalid_request`.
  init(parsing body: [UInt8], now: UnixTime) throws(Refusal) {
    let members = try RequestMembers(body, known: Self.names)
    audience = try members.string("aud") ?? "com.example.notes"
    subject = try members.string("sub")
    nonce = try Self.nonce(members)
    let issuedAt = try Self.time("iat", offset: "iatOffset", members, now) ?? now.seconds
    self.issuedAt = issuedAt
    if let expiresAt = try Self.time("exp", offset: "expOffset", members, now) {
      self.expiresAt = expiresAt
    } else {
      expiresAt = try Self.sum(issuedAt, Self.lifetime, "iat")
    }
    emailClaims = try Self.emailClaims(members)
    claims = try members.object("claims") ?? [:]
    omitted = try members.strings("omit") ?? []
    key = try members.choice("key", as: KeyChoice.self) ?? .current
    kid = try members.string("kid")
    algorithm = try members.string("alg") ?? "RS256"
    header = try members.object("header") ?? [:]
    count = try Self.count(members)
    wantsCode = try members.flag("code").map { $0 == .bool(true) || $0 == .string("true") } ?? false
    redirectURI = try members.string("redirectURI")
  }

  private static func nonce(_ members: RequestMembers) throws(Refusal) -> Nonce {
    let raw = try members.string("rawNonce")
    if let claim = try members.string("nonce") { return .verbatim(claim, raw: raw) }
    return raw.map { .digest(ofRaw: $0) } ?? .random
  }

  private static func emailClaims(_ members: RequestMembers) throws(Refusal) -> [String: JSONValue] {
    var claims: [String: JSONValue] = [:]
    claims["email"] = try members.string("email").map { .string($0) }
    claims["email_verified"] = try members.flag("email_verified")
    claims["is_private_email"] = try members.flag("is_private_email")
    return claims
  }

  /// A time in Unix seconds, given as such or as seconds from now.
  private static func time(
    _ name: String, offset offsetName: String, _ members: RequestMembers, _ now: UnixTime
  ) throws(Refusal) -> Int64? {
    let time = try members.integer(name)
    guard let offset = try members.integer(offsetName) else { return time }
    guard time == nil else { throw .invalidRequest("Send \(name) or \(offsetName), not both.") }
    return try sum(now.seconds, offset, offsetName)
  }

  private static func sum(_ a: Int64, _ b: Int64, _ name: String) throws(Refusal) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    if overflow { throw .invalidRequest("\(name) is out of range.") }
    return sum
  }

  private static func count(_ members: RequestMembers) throws(Refusal) -> Int? {
    guard let count = try members.integer("count") else { return nil }
    guard (1...countLimit).contains(count) else {
      throw .invalidRequest("count must be from 1 to \(countLimit).")
    }
    guard !members.has("nonce"), !members.has("rawNonce") else {
      throw .invalidRequest("With count each token has a nonce of its own: leave nonce and rawNonce out.")
    }
    return Int(count)
  }
}
