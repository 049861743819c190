/// Why a sign-in is refused: the answer for the client side, and the reason for the log.
public struct ProviderFailure: Error, Sendable, Hashable, Codable {
  /// The HTTP status: 400–499 where the request is at fault, 503 where something is out of reach.
  public let status: Int
  /// What a program compares: stable, part of the contract, for example `invalid_identity_token`.
  public let code: String
  /// One sentence for a developer. It never repeats input.
  public let message: String
  /// Which check failed, for the log, as a few constant words. Never a token, a claim or other input.
  public let reason: String
  /// Seconds after which another try makes sense, for `Retry-After`.
  public let retryAfter: Int?

  /// Makes a failure.
  public init(status: Int, code: String, message: String, reason: String, retryAfter: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.reason = reason
    self.retryAfter = retryAfter
  }
}
