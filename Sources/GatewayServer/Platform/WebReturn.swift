import GatewayBase
import GatewayIdentity
import GatewayProxy

/// Where a sign-in in a browser ends, and in what: the part of a query that the gateway judges itself, whatever the way to
/// sign in.
struct WebReturn: Sendable {
  /// The names of its fields.
  static let names: Set<String> = [
    "appId", "domain", "redirect", "link", "code_challenge", "code_challenge_method",
  ]

  let app: AppDirectory.App
  let target: RedirectTarget
  /// For whom a code is brought in place of the answer; nil where the answer itself is.
  let challenge: CodeChallenge?
  /// Whether the answer's token is good for linking alone, and the app does not get the account.
  let isLinking: Bool

  /// - Throws: `invalid_request`, `Target not found` or `invalid_redirect`.
  init(_ query: FormFields, in directory: AppDirectory, at origin: PageOrigin) throws(Refusal) {
    let named = ["appId", "domain"].reduce(into: [String: JSONValue]()) { members, name in
      members[name] = query[name].map { .string($0) }
    }
    app = try SignInTarget.app(named: .object(named), in: directory)
    challenge = try Self.challenge(query)
    switch query["link"] {
    case nil: isLinking = false
    case "1": isLinking = true
    default: throw .invalidRequest("link is 1, or absent.")
    }
    target = try Self.target(query["redirect"], of: app, at: origin, bringsCode: challenge != nil)
  }

  /// Of what was judged before, and is judged again.
  ///
  /// - Throws: `invalid_redirect`, where the app has dropped the target meanwhile.
  init(
    _ app: AppDirectory.App, redirect: String, challenge: CodeChallenge?, at origin: PageOrigin
  ) throws(Refusal) {
    self.app = app
    self.challenge = challenge
    isLinking = false
    target = try Self.target(redirect, of: app, at: origin, bringsCode: challenge != nil)
  }

  private static func challenge(_ query: FormFields) throws(Refusal) -> CodeChallenge? {
    let (text, method) = (query["code_challenge"], query["code_challenge_method"])
    guard method == nil || (method == "S256" && text != nil) else {
      throw .invalidRequest("code_challenge_method is S256, beside code_challenge.")
    }
    guard let text else { return nil }
    guard let challenge = CodeChallenge(text) else {
      throw .invalidRequest("code_challenge is the SHA-256 of the verifier in base64url, without padding.")
    }
    return challenge
  }

  private static func target(
    _ text: String?, of app: AppDirectory.App, at origin: PageOrigin, bringsCode: Bool
  ) throws(Refusal) -> RedirectTarget {
    guard let text else { throw .invalidRequest("The query must have redirect.") }
    do throws(RedirectTarget.Fault) {
      return try RedirectTarget(
        text, of: app.configuration, loopbackPort: origin.loopbackPort, bringsCode: bringsCode)
    } catch {
      throw .invalidRedirect
    }
  }

  /// The same as a query, in one form.
  var query: String {
    var fields = [("appId", "\(app.configuration.appID)"), ("redirect", target.text)]
    if isLinking { fields.append(("link", "1")) }
    if let challenge { fields.append(("code_challenge", challenge.text)) }
    return fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
  }
}
