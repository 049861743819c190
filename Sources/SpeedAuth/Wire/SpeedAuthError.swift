/// Why a call came to nothing. None holds a token, an address or the text of a body.
public enum SpeedAuthError: Error, Sendable, Hashable {
  /// The platform said no.
  case refused(Refusal)
  /// Both accounts have data in the app (409 `app_data_conflict`), and nothing has changed: ask the user which one
  /// survives, and link again with the same token and the answer.
  case dataConflict(SpeedToken)
  /// The session has ended: take the user straight back to the way by which they signed in. Nil where none is known.
  case sessionEnded(SignInMethod?)
  /// The user said no on the platform's page, or closed it.
  case declined
  /// The page came back with something else than this visit asked for, or with the error that is named here.
  case invalidCallback(String)
  /// The URL is not on one of the app's own origins, so it gets no token.
  case foreignOrigin
  /// The configuration lacks what this call needs.
  case notConfigured(String)
  /// There was no answer: the reason, without the URL.
  case unreachable(String)
  /// The answer is none of the platform's: its status.
  case unexpectedAnswer(status: Int)
  /// The session can't be read from where it is kept: the reason.
  case storage(String)
  /// The task that asked was cancelled.
  case cancelled

  /// The token was not good, as the platform told it in front of the app's backend.
  static let invalidToken = SpeedAuthError.refused(
    Refusal(status: 401, code: .invalidToken, message: "", requestID: nil, retryAfter: nil))

  /// The code of a refusal.
  public var code: ErrorCode? {
    switch self {
    case .refused(let refusal): refusal.code
    case .dataConflict: .appDataConflict
    default: nil
    }
  }

  /// How long to wait before another try, where the platform says so.
  public var retryAfter: Duration? {
    if case .refused(let refusal) = self { refusal.retryAfter } else { nil }
  }
}

extension SpeedAuthError: CustomStringConvertible {
  /// One sentence for a developer's log.
  public var description: String {
    switch self {
    case .refused(let refusal):
      "The platform refuses with \(refusal.status) \(refusal.code): \(refusal.message)"
        + (refusal.requestID.map { " (request \($0))" } ?? "")
    case .dataConflict: "Both accounts have data in the app: ask the user which one to keep, and link with keep."
    case .sessionEnded(let method):
      "The session has ended: sign in again" + (method.map { " by \($0.rawValue)." } ?? ".")
    case .declined: "The user did not sign in."
    case .invalidCallback(let reason): "The page came back with an unusable answer: \(reason)."
    case .foreignOrigin: "The URL is not on one of the app's own origins: it gets no token."
    case .notConfigured(let what): "The configuration has no \(what)."
    case .unreachable(let reason): "There was no answer: \(reason)."
    case .unexpectedAnswer(let status): "The answer, of status \(status), is none of the platform's."
    case .storage(let reason): "The session can't be read from where it is kept: \(reason)."
    case .cancelled: "The task that asked was cancelled."
    }
  }
}
