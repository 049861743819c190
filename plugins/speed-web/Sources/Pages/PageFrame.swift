import ProviderKit

/// What every page has around its own content: who is asked by whom, in which language, with which nonce and token.
struct PageFrame: Sendable {
  let request: PageRequest
  let language: Language

  init(request: PageRequest, language: Language) {
    self.request = request
    self.language = language
  }

  /// In the best of the languages that the browser asks for.
  init(request: PageRequest) {
    self.init(request: request, language: Language(preferred: request.languages))
  }

  /// What the browser is here for; nil where it is about the account itself.
  var visit: Visit? { request.visit }
}

/// The paths that pages link and post to, as `plugin.yaml` lists them.
enum PagePath: String, Sendable, CaseIterable {
  case entrance = "/platform/auth"
  case signIn = "/platform/auth/sign-in"
  case signUp = "/platform/auth/sign-up"
  case verify = "/platform/auth/verify"
  case reset = "/platform/auth/reset"
  case newPassword = "/platform/auth/new-password"
  case consent = "/platform/auth/consent"
  case signOut = "/platform/auth/sign-out"
  case account = "/platform/account"
  case passkey = "/platform/account/passkey"

  /// The path with the visit that is carried on, and further fields.
  ///
  /// - Parameter fields: names and values; names are plain, values are encoded here.
  func link(_ visit: Visit?, _ fields: [(String, String)] = []) -> String {
    var query = visit.map { $0.query.isEmpty ? [] : [$0.query] } ?? []
    query += fields.map { "\($0.0)=\(ByteText.percentEncoded($0.1))" }
    return query.isEmpty ? rawValue : rawValue + "?" + query.joined(separator: "&")
  }
}
