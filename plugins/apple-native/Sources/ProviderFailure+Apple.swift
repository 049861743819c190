import ProviderKit

extension ProviderFailure {
  static let iosNotConfigured = ProviderFailure(
    status: 400, code: "ios_not_configured", message: "This app has no bundle ID: list it under ios.bundleIds.",
    reason: "no bundle ID")

  static let webNotConfigured = ProviderFailure(
    status: 400, code: "web_not_configured",
    message: "This app has no Services ID: set ios.servicesId for Sign in with Apple on the web.",
    reason: "no Services ID")

  static let bundleIDConflict = ProviderFailure(
    status: 403, code: "bundle_id_conflict",
    message: "Another app claims this bundle ID too: one of them must drop it.",
    reason: "bundle ID conflict")

  static let accountMismatch = ProviderFailure(
    status: 409, code: "apple_account_mismatch",
    message: "The authorization code is of another Apple account: nothing was deleted.",
    reason: "another account's code"
  )

  /// Every fault of the token looks alike from outside; the log tells them apart.
  static func invalidToken(_ reason: String) -> ProviderFailure {
    ProviderFailure(
      status: 401, code: "invalid_identity_token", message: "The identity token is not valid for this app and nonce.",
      reason: reason)
  }

  static func invalidNotice(_ reason: String) -> ProviderFailure {
    ProviderFailure(
      status: 401, code: "invalid_notification", message: "The notification is not one of Apple's for this app.",
      reason: reason)
  }

  static func invalidRequest(_ message: String) -> ProviderFailure {
    ProviderFailure(status: 400, code: "invalid_request", message: message, reason: "body")
  }

  init(_ failure: KeyServiceFailure) {
    switch failure {
    case .malformed: self = .invalidToken("malformed token")
    case .unacceptableAlgorithm: self = .invalidToken("algorithm")
    case .unknownKey: self = .invalidToken("unknown key")
    case .badSignature: self = .invalidToken("signature")
    case .unavailable(let seconds):
      self.init(
        status: 503, code: "provider_unavailable", message: "Apple's keys can't be fetched at present.",
        reason: "no key set", retryAfter: seconds)
    }
  }
}
