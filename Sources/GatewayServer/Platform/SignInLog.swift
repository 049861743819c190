import GatewayBase
import GatewayIdentity
import ProviderKit

/// What the log says of one sign-in: which check failed, never the credential.
struct SignInLog: Sendable {
  let logger: Logger
  let provider: String
  let app: Int64
  let request: String

  func succeeded(user: String, isNew: Bool) {
    logger.info("signed in", .text("user", user), .flag("newAccount", isNew), context.0, context.1, context.2)
  }

  func refused(_ failure: ProviderFailure) {
    logger.info(
      "a sign-in was refused", .text("code", failure.code), .text("reason", failure.reason), context.0, context.1,
      context.2)
  }

  /// - Parameter answer: what the client is told.
  func refused(_ failure: SignInFailure, as answer: ProviderFailure) {
    let reason =
      switch failure {
      case .replayed: "the token or its nonce was accepted before"
      case .unusableSubject: "the subject is empty or too long"
      case .ended: "all sessions were ended since it began"
      }
    logger.info(
      "a sign-in was refused", .text("code", answer.code), .text("reason", reason), context.0, context.1, context.2)
  }

  /// - Parameter reason: a few words of the gateway's own.
  func refused(_ reason: String) {
    logger.info("a sign-in was refused", .text("reason", reason), context.0, context.1, context.2)
  }

  /// What the client is told of a failure of the gateway's.
  func refusal(for error: any Error) -> Refusal {
    Refusal(error, "a sign-in failed", context.0, context.1, context.2, in: logger)
  }

  private var context: (LogField, LogField, LogField) {
    (.text("provider", provider), .integer("app", app), .text("requestId", request))
  }
}
