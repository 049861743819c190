/// An answer that the gateway gives instead of serving a request: the one home of error codes, their
/// statuses and their body.
///
/// The body is `{"error":…,"message":…,"requestId":…}`; the answer also carries `X-Speed-Error: <code>`.
package struct Refusal: Error, Sendable, Equatable {
  package let status: UInt16
  /// What a program compares: stable, part of the contract.
  package let code: String
  /// One sentence for a developer. It never holds a token, an address or other input.
  package let message: String
  /// Seconds for `Retry-After`, where trying again later makes sense.
  package var retryAfter: Int?
  /// Whether the connection must end with this answer, because its framing is in doubt (RFC 9112 section 9.6).
  package var closesConnection = false
  /// `WWW-Authenticate` (RFC 6750 section 3), on 401 of protected routes.
  package var challenge: String?
  /// `Allow` (RFC 9110 section 10.2.1), on 405.
  package var allow: String?

  package init(_ status: UInt16, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  package func closing() -> Refusal { with { $0.closesConnection = true } }
  package func retrying(after seconds: Int) -> Refusal { with { $0.retryAfter = seconds } }
  package func challenging(_ value: String) -> Refusal { with { $0.challenge = value } }
  package func allowing(_ methods: String) -> Refusal { with { $0.allow = methods } }

  private func with(_ change: (inout Refusal) -> Void) -> Refusal {
    var copy = self
    change(&copy)
    return copy
  }

  /// The JSON body for the request of this id.
  package func body(requestID: String) -> [UInt8] {
    var text = Array("{\"error\":".utf8)
    JSONText.append(code, to: &text)
    text += Array(",\"message\":".utf8)
    JSONText.append(message, to: &text)
    text += Array(",\"requestId\":".utf8)
    JSONText.append(requestID, to: &text)
    text.append(UInt8(ascii: "}"))
    return text
  }
}

// Refusals of the request itself. Those that leave the framing in doubt close the connection.
extension Refusal {
  package static func badRequest(_ message: String) -> Refusal { Refusal(400, "bad_request", message).closing() }
  package static func invalidRequest(_ message: String) -> Refusal { Refusal(400, "invalid_request", message) }
  package static let unsupportedCoding =
    Refusal(501, "unsupported_coding", "The only transfer coding is chunked.").closing()
  package static let headerTooLarge =
    Refusal(431, "header_too_large", "The request's head is over the size or field limit.").closing()
  package static let targetTooLong = Refusal(414, "target_too_long", "The request target is over 8 KiB.").closing()
  package static let bodyTooLarge = Refusal(413, "body_too_large", "The body is over the limit of this route.")
    .closing()
  package static let requestTimeout =
    Refusal(408, "request_timeout", "The request did not arrive in time.").closing()
  package static let unknownHost = Refusal(421, "unknown_host", "No app or platform host has this name.")
  package static let noRoute = Refusal(404, "no_route", "No route matches this path.")
  package static let forbidden = Refusal(403, "forbidden", "This is not allowed.")
  package static let internalError = Refusal(500, "internal", "The gateway failed; the log has the request id.")

  package static func methodNotAllowed(_ allowed: String) -> Refusal {
    Refusal(405, "method_not_allowed", "This path does not take this method.").allowing(allowed)
  }
}

// Refusals of who asks.
extension Refusal {
  package static let missingToken =
    Refusal(401, "missing_token", "Send Authorization: Bearer <token>.").challenging("Bearer")
  package static let invalidToken =
    Refusal(401, "invalid_token", "The token is not valid here: sign in again.")
    .challenging("Bearer error=\"invalid_token\"")
  package static let invalidRefreshToken =
    Refusal(401, "invalid_refresh_token", "The refresh token is not valid any more: sign in again.")
  package static let invalidServerKey =
    Refusal(401, "invalid_token", "This is no server key of this app.").challenging("Bearer error=\"invalid_token\"")
  package static let invalidCode =
    Refusal(400, "invalid_code", "The code is unknown, old or used, or the verifier is not its own: sign in again.")
  package static let invalidState =
    Refusal(400, "invalid_state", "This sign-in is over, or began elsewhere: go back to the app and try again.")
  package static let invalidRedirect = Refusal(400, "invalid_redirect", "The redirect is not one of this app's.")
  package static let foreignForm =
    Refusal(
      403, "forbidden", "The page is out of date, or came from elsewhere: go back, load it again and try once more.")
  package static let severalCredentials =
    invalidRequest("Send one Authorization with one value.").closing()
  package static let tokenInURL = invalidRequest("A token in the URL ends up in logs: send Authorization.")
  package static let invalidRequestFrom =
    Refusal(400, "invalid_request_from", "Send X-Speed-Request-From with a value that this app allows.")
}

// Refusals of who asks too often.
extension Refusal {
  /// - Parameter seconds: until a request passes again.
  package static func rateLimited(retryAfter seconds: Int) -> Refusal {
    Refusal(429, "rate_limited", "There were too many requests: try again later.").retrying(after: seconds)
  }
}

// Refusals for want of a backend.
extension Refusal {
  package static let backendUnavailable = Refusal(502, "backend_unavailable", "No backend of this app can be reached.")
  /// - Parameter interval: milliseconds until the servers are looked at again.
  package static func backendDown(retryAfter interval: UInt64) -> Refusal {
    Refusal(503, "backend_unavailable", "All servers of this backend are down: try again.")
      .retrying(after: Int(min(30, max(1, interval / 1000))))
  }
  package static let backendFull =
    Refusal(503, "backend_unavailable", "This backend has all the requests that it may have: try again.")
    .retrying(after: 1)
  package static let backendMalformed =
    Refusal(502, "backend_unavailable", "The backend's answer is not valid HTTP.")
  package static let overloaded =
    Refusal(503, "overloaded", "The gateway is busy: try again.").retrying(after: 1)
  package static let backendTimeout = Refusal(504, "backend_timeout", "The backend did not answer in time.")
}

// Refusals of a sign-in.
extension Refusal {
  package static let targetNotFound = Refusal(404, "Target not found", "No app has this appId or domain.")
  package static let providerNotEnabled =
    Refusal(400, "provider_not_enabled", "This app does not list this provider.")
  package static let providerUnavailable =
    Refusal(503, "provider_unavailable", "Sign-in is not possible right now.").retrying(after: 5)
  package static let storeUnavailable =
    Refusal(503, "store_unavailable", "The store can't be reached right now.").retrying(after: 5)
}

// Refusals of a link between two accounts.
extension Refusal {
  package static let notLinkable =
    Refusal(400, "not_linkable", "The account is not app-local, or is linked already.")
  package static let invalidSpeedToken =
    Refusal(400, "invalid_speed_token", "speedToken is not good for a link: run the link=1 flow again.")
  package static let appDataConflict =
    Refusal(409, "app_data_conflict", "Both accounts have data in this app: say with keep which survive.")
  package static let speedAccountInUse =
    Refusal(409, "speed_account_in_use", "The Speed account already backs another account of this app.")
  package static let notLinked = Refusal(400, "not_linked", "The account is not linked.")
}

// Refusals of a balance.
extension Refusal {
  package static let unknownUser = Refusal(404, "unknown_user", "The app has no such user.")
  package static let usageSourceNotLocal =
    Refusal(409, "usage_source_not_local", "The app's usage.source is not local.")
  package static let idempotencyConflict =
    Refusal(409, "idempotency_conflict", "The idempotencyKey was used for another adjustment.")
  package static let insufficientBalance =
    Refusal(409, "insufficient_balance", "The balance would go below zero.")
}
