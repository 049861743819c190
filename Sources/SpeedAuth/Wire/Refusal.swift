/// An answer that says no.
public struct Refusal: Sendable, Hashable {
  /// The status of the answer.
  public let status: Int
  /// What a program compares.
  public let code: ErrorCode
  /// One sentence for a developer.
  public let message: String
  /// The name under which the platform's log knows the request.
  public let requestID: String?
  /// How long to wait before another try, where the platform says so.
  public let retryAfter: Duration?
}
