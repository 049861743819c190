import ProviderKit

extension ProviderFailure {
  static let relayNotConfigured = ProviderFailure(
    status: 400, code: "relay_not_configured",
    message: "This app relays no sign-ins: list an issuer or a verifier under relay.",
    reason: "no issuer and no verifier")

  /// Every fault of the token looks alike from outside; the log tells them apart.
  static func invalidToken(_ reason: String) -> ProviderFailure {
    ProviderFailure(
      status: 401, code: "invalid_subject_token", message: "The subject token is not valid for this app.",
      reason: reason
    )
  }

  static func invalidRequest(_ message: String) -> ProviderFailure {
    ProviderFailure(status: 400, code: "invalid_request", message: message, reason: "body")
  }

  static func verifierUnavailable(_ reason: String) -> ProviderFailure {
    ProviderFailure(
      status: 503, code: "provider_unavailable", message: "The app's verifier can't be asked at present.",
      reason: reason, retryAfter: 5)
  }

  init(_ failure: KeyServiceFailure) {
    switch failure {
    case .malformed: self = .invalidToken("malformed token")
    case .unacceptableAlgorithm: self = .invalidToken("algorithm")
    case .unknownKey: self = .invalidToken("unknown key")
    case .badSignature: self = .invalidToken("signature")
    case .unavailable(let seconds):
      self.init(
        status: 503, code: "provider_unavailable", message: "The issuer's keys can't be fetched at present.",
        reason: "no key set", retryAfter: seconds)
    }
  }
}
