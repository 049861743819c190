import GatewayBase

/// A server-to-server notification as a caller wants it. Without any member it tells that a new user withdrew his consent.
struct NotificationRequest: Sendable {
  /// How `events` is written: Apple documents an object, and sends a string.
  enum Form: String, Sendable, CaseIterable {
    case string, object, array
  }

  let claims: [String: JSONValue]
  let key: KeyChoice
  /// Where it is sent; nil: it is only answered.
  let url: String?
  /// Whether it is sent as a field of a form.
  let isForm: Bool

  private static let names = [
    "type", "aud", "sub", "eventTime", "eventTimeOffset", "email", "is_private_email", "form", "jti", "claims", "omit",
    "key", "url", "body",
  ]

  /// What the members are, for the command's help.
  static let memberHelp = """
      type                   consent-revoked, account-delete, email-disabled, email-enabled or anything
      aud, sub, jti          claims | of the event; email, is_private_email likewise
      eventTime | eventTimeOffset   milliseconds | seconds from now
      form                   \(Form.allCases.map(\.rawValue).joined(separator: ", ")): how events is written
      claims, omit, key      as above
      url                    where it is sent (loopback); the answer then tells the status
      body                   json or form: how it is sent
    """

  /// - Throws: 400 `invalid_request`.
  init(parsing body: [UInt8], issuer: String, now: UnixTime) throws(Refusal) {
    let members = try RequestMembers(body, known: Self.names)
    var event: [String: JSONValue] = [
      "type": .string(try members.string("type") ?? "consent-revoked"),
      "sub": .string(try members.string("sub") ?? RandomText.subject()),
      "event_time": .integer(try Self.eventTime(members, now)),
    ]
    event["email"] = try members.string("email").map { .string($0) }
    event["is_private_email"] = try members.flag("is_private_email")
    let written: JSONValue =
      switch try members.choice("form", as: Form.self) ?? .string {
      case .string: .string(String(decoding: JSONValue.object(event).jsonText, as: UTF8.self))
      case .object: .object(event)
      case .array: .array([.object(event)])
      }
    var claims: [String: JSONValue] = [
      "iss": .string(issuer), "aud": .string(try members.string("aud") ?? "com.example.notes"),
      "iat": .integer(now.seconds), "exp": .integer(now.seconds + 86_400),
      "jti": .string(try members.string("jti") ?? RandomText.nonce()), "events": written,
    ]
    claims.merge(try members.object("claims") ?? [:]) { $1 }
    for name in try members.strings("omit") ?? [] { claims[name] = nil }
    self.claims = claims
    key = try members.choice("key", as: KeyChoice.self) ?? .current
    url = try members.string("url")
    isForm = try members.string("body") == "form"
  }

  private static func eventTime(_ members: RequestMembers, _ now: UnixTime) throws(Refusal) -> Int64 {
    if let time = try members.integer("eventTime") { return time }
    guard let offset = try members.integer("eventTimeOffset") else { return now.milliseconds }
    guard (-1_000_000_000...1_000_000_000).contains(offset) else {
      throw .invalidRequest("eventTimeOffset is out of range.")
    }
    return now.adding(seconds: offset).milliseconds
  }
}
