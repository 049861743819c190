import GatewayBase

/// An account as its app sees it: the body that sign-ins and `GET me` answer.
package struct Profile: Sendable, Equatable {
  /// The account itself.
  package let account: Account
  /// The regular account that it is linked with, whose name, address and picture it shows.
  package let backing: Account?
  /// The same for ever and on every node, for this app and account.
  package let appUserUUID: String
  /// Whether a regular account has the same verified address, so that the app may offer to link them.
  package let suggestsLinking: Bool

  init(account: Account, backing: Account? = nil, appUserUUID: String, suggestsLinking: Bool) {
    self.account = account
    self.backing = backing
    self.appUserUUID = appUserUUID
    self.suggestsLinking = suggestsLinking
  }

  /// Whether the account is an app's own and could still be linked.
  package var isLocalUser: Bool { account.isLocal && backing == nil }

  /// The role of every account so far, also in tokens.
  package static let role = "app-user"

  /// The JSON of a sign-in.
  ///
  /// - Parameters:
  ///   - refreshToken: where the app has opted in to one.
  ///   - previousUserID: of an account that has become part of this one.
  package func signInBody(
    token: String, expiresAt: UnixTime, isNewAccount: Bool, refreshToken: String? = nil, previousUserID: String? = nil
  ) -> [UInt8] {
    var text = "{\"token\":\(JSONText.quoted(token)),"
    appendMembers(to: &text, expiresAt: expiresAt, isNewAccount: isNewAccount)
    if let refreshToken { text += ",\"refreshToken\":\(JSONText.quoted(refreshToken))" }
    if let previousUserID { text += ",\"previousUserId\":\(JSONText.quoted(previousUserID))" }
    return Array(text.utf8) + [UInt8(ascii: "}")]
  }

  /// The JSON of a sign-in without the token.
  ///
  /// - Parameter expiresAt: of the token that the request came with.
  package func body(expiresAt: UnixTime) -> [UInt8] {
    var text = "{"
    appendMembers(to: &text, expiresAt: expiresAt, isNewAccount: false)
    return Array(text.utf8) + [UInt8(ascii: "}")]
  }

  /// The JSON of `GET me`: that of a sign-in without the token, and the balance.
  ///
  /// - Parameter expiresAt: of the token that the request came with.
  package func meBody(expiresAt: UnixTime, balance: Int64) -> [UInt8] {
    var text = "{"
    appendMembers(to: &text, expiresAt: expiresAt, isNewAccount: false)
    text += ",\"balance\":\(balance)"
    return Array(text.utf8) + [UInt8(ascii: "}")]
  }

  private func appendMembers(to text: inout String, expiresAt: UnixTime, isNewAccount: Bool) {
    let shown = backing ?? account
    text += "\"expiresAt\":\"\(expiresAt.rfc3339)\","
    text += "\"user\":{\"id\":\(JSONText.quoted(account.id)),\"name\":\(Self.nullable(shown.name)),"
    text += "\"email\":\(Self.nullable(shown.email)),\"photo\":\(Self.nullable(shown.photo))},"
    text += "\"role\":\"\(Self.role)\",\"appUserUUID\":\(JSONText.quoted(appUserUUID)),"
    text += "\"isNewAccount\":\(isNewAccount),\"isLocalUser\":\(isLocalUser)"
    if suggestsLinking { text += ",\"linkSuggestion\":\"matching_email\"" }
  }

  private static func nullable(_ text: String?) -> String { text.map(JSONText.quoted) ?? "null" }
}
