/// The code of a refusal, as `error` of an answer tells it. Codes that this version does not know are kept as they are.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The code as it was sent.
  public let rawValue: String

  /// Takes any code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any code.
  public init(stringLiteral value: String) { rawValue = value }

  /// The code as it was sent.
  public var description: String { rawValue }

  /// 404: no app has this number or domain.
  public static let targetNotFound: ErrorCode = "Target not found"
  /// 400: the request is not as it should be.
  public static let invalidRequest: ErrorCode = "invalid_request"
  /// 400: the app does not list this way to sign in.
  public static let providerNotEnabled: ErrorCode = "provider_not_enabled"
  /// 400: the app has no bundle ID.
  public static let iosNotConfigured: ErrorCode = "ios_not_configured"
  /// 401: Apple's token is expired, replayed, of another app, or its nonce is another one: ask Apple again.
  public static let invalidIdentityToken: ErrorCode = "invalid_identity_token"
  /// 403: another app has the same bundle ID.
  public static let bundleIDConflict: ErrorCode = "bundle_id_conflict"
  /// 400: the code is old or used, or was asked for by another client: sign in again.
  public static let invalidCode: ErrorCode = "invalid_code"
  /// 401: there was no token.
  public static let missingToken: ErrorCode = "missing_token"
  /// 401: the token is over: sign in again.
  public static let invalidToken: ErrorCode = "invalid_token"
  /// 401: the refresh token is over: sign in again.
  public static let invalidRefreshToken: ErrorCode = "invalid_refresh_token"
  /// 400: the signed-in account is linked already, or no account of the app's own.
  public static let notLinkable: ErrorCode = "not_linkable"
  /// 400: the token of the Speed account is old, used or none: run the linking flow again.
  public static let invalidSpeedToken: ErrorCode = "invalid_speed_token"
  /// 409: both accounts have data: ask which one survives, and link with `keep`.
  public static let appDataConflict: ErrorCode = "app_data_conflict"
  /// 409: the Speed account is behind another account of this app.
  public static let speedAccountInUse: ErrorCode = "speed_account_in_use"
  /// 400: there is no link to undo.
  public static let notLinked: ErrorCode = "not_linked"
  /// 409: the code is of another Apple account than the one that is to be deleted.
  public static let appleAccountMismatch: ErrorCode = "apple_account_mismatch"
  /// 401: the token of the sign-in elsewhere is not good here.
  public static let invalidSubjectToken: ErrorCode = "invalid_subject_token"
  /// 400: the app does not say where its users sign in.
  public static let relayNotConfigured: ErrorCode = "relay_not_configured"
  /// 400: the app does not list this redirect.
  public static let invalidRedirect: ErrorCode = "invalid_redirect"
  /// 402: the user can't pay for this.
  public static let insufficientBalance: ErrorCode = "insufficient_balance"
  /// 429: too many requests: try again after `retryAfter`.
  public static let rateLimited: ErrorCode = "rate_limited"
  /// 503: Apple, or another who has to be asked, can't be reached: try again after `retryAfter`.
  public static let providerUnavailable: ErrorCode = "provider_unavailable"
}
