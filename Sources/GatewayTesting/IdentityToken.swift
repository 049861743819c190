import GatewayBase

/// An identity token with the raw nonce whose digest it carries.
package struct IdentityToken: Sendable {
  package var text: String
  package var rawNonce: String
  /// The authorization code that came with it.
  package var code: String?

  package init(text: String, rawNonce: String, code: String? = nil) {
    self.text = text
    self.rawNonce = rawNonce
    self.code = code
  }
}

/// What an identity token of a test says. Without changes it is a good one of a user of its own.
package struct TokenRequest: Sendable {
  package var audience: String
  package var subject: String
  package var rawNonce: String
  /// Claims with raw JSON values: they replace the usual ones or come besides.
  package var claims: [String: JSON]
  /// Names of claims that are left out.
  package var omitted: [String]
  /// Header fields with raw JSON values.
  package var header: [String: JSON]
  /// The key that signs: nil is the current one, `unknown` one under an id that no set holds, `foreign` one under
  /// the id of the current one.
  package var key: String?
  /// Whether an authorization code comes with it.
  package var wantsCode = false

  package init(
    audience: String, subject: String = TokenRequest.freshSubject(), claims: [String: JSON] = [:],
    omitted: [String] = [], header: [String: JSON] = [:], key: String? = nil
  ) {
    self.audience = audience
    self.subject = subject
    self.claims = claims
    self.omitted = omitted
    self.header = header
    self.key = key
    rawNonce = UUIDText.random().description
  }

  /// A `sub` in Apple's shape that no other test has.
  package static func freshSubject() -> String {
    let random = UUIDText.random().description.filter { $0 != "-" }
    return "000001.\(random).0001"
  }

  var json: JSON {
    // The sandbox's own default for the issuer is its address; the gateways of the tests expect Apple's.
    var claims = ["iss": JSON.string("https://appleid.apple.com")].merging(claims) { $1 }
    for name in omitted { claims[name] = nil }
    var members: [String: JSON] = [
      "aud": .string(audience), "sub": .string(subject), "rawNonce": .string(rawNonce),
      "email": "ada@example.org", "email_verified": true, "claims": .object(claims),
    ]
    if !omitted.isEmpty { members["omit"] = .array(omitted.map { .string($0) }) }
    if !header.isEmpty { members["header"] = .object(header) }
    if wantsCode { members["code"] = true }
    switch key {
    case "unknown": members["kid"] = "unknown"
    case let key?: members["key"] = .string(key)
    case nil: break
    }
    return .object(members)
  }
}
