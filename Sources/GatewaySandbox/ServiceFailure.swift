import GatewayBase
import GatewayProxy

/// What a call of Apple's token services gets: the answer, or one of the faults that a client of it must survive.
enum ServiceFailure: String, Sendable, CaseIterable {
  case ok
  /// 503.
  case unavailable
  /// 200 as JSON, and no JSON.
  case garbage
  /// 200 with a web page.
  case html
  /// 200 with nothing: as `auth/revoke` answers when all is well.
  case empty
  /// The answer, after the time that the gateway waits for it.
  case slow
  // 400 with an error of RFC 6749 section 5.2.
  case invalidClient = "invalid_client"
  case invalidGrant = "invalid_grant"
  case invalidRequest = "invalid_request"
  /// An exchange without a refresh token.
  case noRefreshToken = "no_refresh_token"
  /// An exchange whose id token has claims of types that nobody documents.
  case oddClaims = "odd_claims"

  /// The answer instead of the service's own; nil where that one is given.
  var answer: ServiceResponse? {
    switch self {
    case .ok, .slow, .noRefreshToken, .oddClaims: nil
    case .unavailable: ServiceResponse(503)
    case .garbage: .json(200, Array("]}{[".utf8))
    case .html: KeySetFailure.page
    case .empty: ServiceResponse(200)
    case .invalidClient: Self.refusal(.invalidClient)
    case .invalidGrant: Self.refusal(.invalidGrant)
    case .invalidRequest: Self.refusal(.invalidRequest)
    }
  }

  static func refusal(_ refusal: AppleLedger.Refusal) -> ServiceResponse {
    .json(400, JSONValue.object(["error": .string(refusal.rawValue)]).jsonText)
  }
}

/// Apple's services whose failures are switched.
enum ServiceDoor: String, Sendable, CaseIterable {
  case token, revoke, migration
}
