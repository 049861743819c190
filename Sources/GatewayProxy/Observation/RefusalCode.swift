import GatewayBase

/// The code of a refusal as a small number: what an exchange keeps of it, and what is counted.
package struct RefusalCode: Sendable, Equatable {
  let index: UInt8

  /// The answer is no refusal of the gateway.
  static let none = RefusalCode(index: 0)
  /// A code that only a plugin from elsewhere knows.
  static let other = RefusalCode(index: 1)

  /// The texts by index. A code of the product that is missing here counts as `other`.
  package static let texts = [
    "", "other",
    "Target not found", "app_data_conflict", "apple_account_mismatch", "backend_timeout", "backend_unavailable",
    "bad_request", "body_too_large", "bundle_id_conflict", "forbidden", "header_too_large", "idempotency_conflict",
    "insufficient_balance", "internal", "invalid_code", "invalid_identity_token", "invalid_notification",
    "invalid_redirect", "invalid_refresh_token", "invalid_request", "invalid_request_from", "invalid_speed_token",
    "invalid_state", "invalid_subject_token", "invalid_token", "ios_not_configured", "method_not_allowed",
    "missing_token", "no_route", "not_linkable", "not_linked", "overloaded", "provider_not_enabled",
    "provider_unavailable", "rate_limited", "relay_not_configured", "request_timeout", "secret_missing",
    "speed_account_in_use", "store_unavailable", "target_too_long", "unknown_host", "unknown_user",
    "unsupported_coding", "usage_source_not_local", "web_not_configured",
  ]

  private static let indices = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, UInt8($0)) })

  private init(index: UInt8) { self.index = index }

  init(_ code: String) { self.init(index: Self.indices[code] ?? Self.other.index) }

  package var text: String { Self.texts[Int(index)] }
}
