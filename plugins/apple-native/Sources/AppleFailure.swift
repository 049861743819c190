import ProviderKit

/// Why a call to Apple's token services did not do what it should.
enum AppleFailure: Error {
  /// Without the app's key there is nothing to prove who asks.
  case noKey
  /// No answer, or one of Apple's own trouble.
  case unreachable(String)
  /// A code of Apple's error answer (RFC 6749 section 5.2).
  case refused(Code)
  /// An answer that is none of Apple's.
  case unexpected

  enum Code: String {
    case invalidRequest = "invalid_request"
    /// A bad secret: a key that was withdrawn or is another team's, or a client id that is not the team's.
    case invalidClient = "invalid_client"
    /// A code that was used, is too old or is another client's; a token that its user has withdrawn.
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
  }

  /// A few constant words.
  var reason: String {
    switch self {
    case .noKey: "no sign-in key"
    case .unreachable(let reason): reason
    case .refused(let code): code.rawValue
    case .unexpected: "unexpected answer"
    }
  }

  /// The task's failure: a bad key or a service that is down may be mended, a bad code never.
  var ofTask: TaskFailure {
    if case .refused(.invalidGrant) = self { return TaskFailure(reason, isFinal: true) }
    return TaskFailure(reason)
  }
}
