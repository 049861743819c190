import GatewayBase
import GatewayProxy

/// What a request of the key set gets: the set, or one of the faults that a client of it must survive.
enum KeySetFailure: String, Sendable, CaseIterable {
  case ok
  /// 503.
  case unavailable
  /// 200 as JSON, and no JSON.
  case garbage
  /// 200 with a web page, as a captive network gives it.
  case html
  /// The set, after the time that the gateway waits for it.
  case slow
  /// The first half of the set.
  case truncated
  /// A set without keys.
  case empty
  /// The set, with blanks to twice the size that the gateway takes.
  case huge
  /// 302 to where the set is: a client that follows it could be sent anywhere.
  case redirect

  /// The answer at its time.
  func answer(_ set: [UInt8]) -> ServiceResponse {
    switch self {
    case .ok, .slow: return .json(200, set)
    case .unavailable: return ServiceResponse(503)
    case .garbage: return .json(200, Array("]}{[".utf8))
    case .html: return Self.page
    case .truncated: return .json(200, Array(set.prefix(set.count / 2)))
    case .empty: return .json(200, Array("{\"keys\":[]}".utf8))
    case .huge: return .json(200, set + [UInt8](repeating: UInt8(ascii: " "), count: 2 * Limits.outboundResponse))
    case .redirect: return ServiceResponse(302, fields: [ServiceField("Location", Door.currentKeys.rawValue)])
    }
  }

  static var page: ServiceResponse {
    ServiceResponse(
      200, fields: [ServiceField("Content-Type", "text/html")], body: Array("<!doctype html><p>Sign in.</p>".utf8))
  }
}
