import GatewayBase

/// An account as its app sees it: the body that sign-ins and `GET me` answer.
package struct Profile: Sendable, Equatable {
  /// The account itself.
  package let account: Account
  /// The same for ever and on every node, for this app and account.
  package let appUserUUID: String
  /// Whether a regular account has the same verified address, so that the app may offer to link them.
  package let suggestsLinking: Bool

  /// The role of every account so far, also in tokens.
  package static let role = "app-user"

  /// The JSON of a sign-in.
  ///
  /// - Parameter refreshToken: where the app has opted in to one.
  package func signInBody(
    token: String, expiresAt: UnixTime, isNewAccount: Bool, refreshToken: String? = nil
  ) -> [UInt8] {
    body(
      token: token, expiresAt: expiresAt, isNewAccount: isNewAccount, balance: nil, refreshToken: refreshToken)
  }

  /// The JSON of `GET me`: that of a sign-in without the token, and the balance.
  ///
  /// - Parameter expiresAt: of the token that the request came with.
  package func meBody(expiresAt: UnixTime, balance: Int64) -> [UInt8] {
    body(token: nil, expiresAt: expiresAt, isNewAccount: false, balance: balance, refreshToken: nil)
  }

  private func body(
    token: String?, expiresAt: UnixTime, isNewAccount: Bool, balance: Int64?, refreshToken: String?
  ) -> [UInt8] {
    var text = "{"
    if let token { text += "\"token\":\(JSONText.quoted(token))," }
    text += "\"expiresAt\":\"\(expiresAt.rfc3339)\","
    text += "\"user\":{\"id\":\(JSONText.quoted(account.id)),\"name\":\(Self.nullable(account.name)),"
    text += "\"email\":\(Self.nullable(account.email)),\"photo\":\(Self.nullable(account.photo))},"
    text += "\"role\":\"\(Self.role)\",\"appUserUUID\":\(JSONText.quoted(appUserUUID)),"
    text += "\"isNewAccount\":\(isNewAccount),\"isLocalUser\":\(account.isLocal)"
    if suggestsLinking { text += ",\"linkSuggestion\":\"matching_email\"" }
    if let refreshToken { text += ",\"refreshToken\":\(JSONText.quoted(refreshToken))" }
    if let balance { text += ",\"balance\":\(balance)" }
    return Array(text.utf8) + [UInt8(ascii: "}")]
  }

  private static func nullable(_ text: String?) -> String { text.map(JSONText.quoted) ?? "null" }
}
